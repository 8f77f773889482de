import { Copy, Trash2 } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button, IconButton } from '../src/ui/button.tsx'
import { ConfirmDialog, Dialog, FormDialog } from '../src/ui/dialog.tsx'
import { Menu, MenuItem, MenuRadio, MenuSeparator, MoreMenu, Submenu } from '../src/ui/menu.tsx'
import { Popover } from '../src/ui/popover.tsx'
import { TextField } from '../src/ui/text-field.tsx'
import { showToast } from '../src/ui/toast.tsx'
import { Tooltip } from '../src/ui/tooltip.tsx'
import type { Sample } from './sample.ts'

const PARAGRAPH =
  'Links in this folder keep their addresses. People who could see the folder no longer see them.'

/** A button that opens something, and what it opens. */
function Opening({
  label,
  children,
}: {
  label: string
  children: (close: () => void) => ReactNode
}) {
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Button onClick={() => setOpen(true)}>{label}</Button>
      {isOpen ? children(() => setOpen(false)) : null}
    </>
  )
}

function Renaming({ close, error = null }: { close: () => void; error?: unknown }) {
  const [name, setName] = useState('Posters')
  return (
    <FormDialog
      title="Rename the folder"
      action="Rename"
      task={{ mutate: close, isPending: false, error }}
      onClose={close}
    >
      <TextField label="Name" value={name} onChange={setName} />
    </FormDialog>
  )
}

function Choices() {
  const [sort, setSort] = useState('newest')
  return (
    <Menu trigger={<Button>Sort</Button>} align="start">
      <MenuRadio
        label="Sort"
        value={sort}
        onChange={setSort}
        options={[
          { value: 'newest', label: 'Newest first' },
          { value: 'clicks', label: 'Most clicks first' },
        ]}
      />
    </Menu>
  )
}

/** What opens above the page. */
export const OVERLAYS: readonly Sample[] = [
  {
    name: 'Dialog',
    states: {
      plain: () => (
        <Opening label="Open the dialog">
          {(close) => (
            <Dialog title="Share" description={PARAGRAPH} onClose={close}>
              <Button onClick={close}>Copy</Button>
            </Dialog>
          )}
        </Opening>
      ),
      panel: () => (
        <Opening label="Open the panel">
          {(close) => (
            <Dialog shape="panel" title="New link" onClose={close}>
              <p>{PARAGRAPH}</p>
            </Dialog>
          )}
        </Opening>
      ),
    },
  },
  {
    name: 'FormDialog',
    states: {
      plain: () => <Opening label="Rename">{(close) => <Renaming close={close} />}</Opening>,
      failed: () => (
        <Opening label="Rename, refused">
          {(close) => <Renaming close={close} error={new Error('refused')} />}
        </Opening>
      ),
    },
  },
  {
    name: 'ConfirmDialog',
    states: {
      danger: () => (
        <Opening label="Delete the folder">
          {(close) => (
            <ConfirmDialog
              title="Delete the folder?"
              description={PARAGRAPH}
              action="Delete"
              danger
              onConfirm={close}
              onClose={close}
            />
          )}
        </Opening>
      ),
    },
  },
  {
    name: 'Menu',
    states: {
      actions: () => (
        <Menu trigger={<Button>Actions</Button>} align="start">
          <MenuItem icon={<Copy />} shortcut="y" onClick={() => showToast({ title: 'Copied' })}>
            Copy
          </MenuItem>
          <Submenu label="Move to">
            <MenuItem>Posters</MenuItem>
            <MenuItem>Letters</MenuItem>
          </Submenu>
          <MenuSeparator />
          <MenuItem icon={<Trash2 />} danger>
            Delete
          </MenuItem>
          <MenuItem disabled>Restore</MenuItem>
        </Menu>
      ),
      choices: Choices,
    },
  },
  {
    name: 'MoreMenu',
    states: {
      plain: () => (
        <MoreMenu label="More actions">
          <MenuItem>Archive</MenuItem>
        </MoreMenu>
      ),
    },
  },
  {
    name: 'Popover',
    states: {
      plain: () => (
        <Popover title="Filters" trigger={<Button>Filters</Button>}>
          <p className="max-w-xs text-sm">{PARAGRAPH}</p>
        </Popover>
      ),
    },
  },
  {
    name: 'Tooltip',
    states: {
      plain: () => (
        <Tooltip text="Copy the address" shortcut="y">
          <IconButton label="Copy the address" icon={<Copy />} />
        </Tooltip>
      ),
    },
  },
  {
    name: 'Toasts',
    states: {
      done: () => (
        <Button
          onClick={() =>
            showToast({ title: 'Link deleted', action: { label: 'Undo', onClick: () => {} } })
          }
        >
          Show a message
        </Button>
      ),
      failed: () => (
        <Button onClick={() => showToast({ title: 'The server does not respond', bad: true })}>
          Show a failure
        </Button>
      ),
    },
  },
]
