import { Plus } from 'lucide-react'
import { useState } from 'react'
import { Button, IconButton, WRAPPING } from '../src/ui/button.tsx'
import { Checkbox } from '../src/ui/checkbox.tsx'
import { ChipsInput } from '../src/ui/chips-input.tsx'
import { Combobox } from '../src/ui/combobox.tsx'
import { DayInput } from '../src/ui/day-input.tsx'
import { Field, FormError } from '../src/ui/field.tsx'
import { Form, Submit } from '../src/ui/form.tsx'
import { Input, InputGroup, Textarea } from '../src/ui/input.tsx'
import { NetworksField } from '../src/ui/networks-field.tsx'
import { Segmented } from '../src/ui/segmented.tsx'
import { Select, SelectField } from '../src/ui/select.tsx'
import { Switch } from '../src/ui/switch.tsx'
import { TextareaField, TextField } from '../src/ui/text-field.tsx'
import { Toggles } from '../src/ui/toggles.tsx'
import type { Sample } from './sample.ts'

const SEASONS = ['Spring', 'Summer', 'Autumn', 'Winter'].map((label) => ({
  value: label.toLowerCase(),
  label,
}))
const LONG = 'A name that is too long for the place that it has, and is shown without its end'

/** What a control is given, kept as a form would. */
function Kept<T>({
  first,
  children,
}: {
  first: T
  children: (value: T, set: (next: T) => void) => React.ReactNode
}) {
  const [value, set] = useState(first)
  return children(value, set)
}

function Words({ wrong = false }: { wrong?: boolean }) {
  const [words, setWords] = useState(['spring', 'print'])
  const [text, setText] = useState('')
  return (
    <Field label="Tags" error={wrong ? 'One of them is too long.' : undefined}>
      {(control) => (
        <ChipsInput
          control={control}
          value={words}
          text={text}
          onText={setText}
          onAdd={(typed) => {
            if (typed.trim() !== '') setWords([...words, typed.trim()])
            setText('')
          }}
          onRemove={(word) => setWords(words.filter((one) => one !== word))}
          isWrong={(word) => wrong && word === 'print'}
          removeLabel={(word) => `Remove ${word}`}
        />
      )}
    </Field>
  )
}

const task = (isPending: boolean, error: unknown = null) => ({ mutate: () => {}, isPending, error })

/** What people fill in. */
export const FORMS: readonly Sample[] = [
  {
    name: 'Button',
    states: {
      variants: () => (
        <div className="flex flex-wrap gap-2">
          <Button variant="primary">Create</Button>
          <Button>Cancel</Button>
          <Button variant="ghost">More</Button>
          <Button variant="danger">Delete</Button>
        </div>
      ),
      'with icon': () => <Button icon={<Plus />}>New link</Button>,
      small: () => <Button size="sm">Edit</Button>,
      loading: () => (
        <Button variant="primary" loading>
          Create
        </Button>
      ),
      disabled: () => <Button disabled>Create</Button>,
      'long text': () => <Button className={WRAPPING}>{LONG}</Button>,
    },
  },
  {
    name: 'IconButton',
    states: {
      plain: () => <IconButton label="Add" icon={<Plus />} />,
      'with shortcut': () => <IconButton label="New link" shortcut="c" icon={<Plus />} />,
      disabled: () => <IconButton label="Add" icon={<Plus />} disabled />,
    },
  },
  {
    name: 'Checkbox',
    states: {
      plain: () => (
        <Kept<boolean> first={false}>
          {(value, set) => <Checkbox checked={value} onChange={set} label="Forward the query" />}
        </Kept>
      ),
      checked: () => (
        <Kept<boolean> first>
          {(value, set) => (
            <Checkbox checked={value} onChange={set} label="Archived" hint="It stays reachable." />
          )}
        </Kept>
      ),
      some: () => <Checkbox checked={false} indeterminate onChange={() => {}} label="All links" />,
      disabled: () => <Checkbox checked disabled onChange={() => {}} label="Owner" />,
    },
  },
  {
    name: 'Switch',
    states: {
      off: () => (
        <Kept<boolean> first={false}>
          {(value, set) => <Switch checked={value} onChange={set} label="Notify by email" />}
        </Kept>
      ),
      on: () => (
        <Kept<boolean> first>
          {(value, set) => (
            <Switch
              checked={value}
              onChange={set}
              label="Public"
              hint="Everyone with its address."
            />
          )}
        </Kept>
      ),
      disabled: () => <Switch checked disabled onChange={() => {}} label="Required by your plan" />,
    },
  },
  {
    name: 'Segmented',
    states: {
      plain: () => (
        <Kept first="summer">
          {(value, set) => (
            <Segmented value={value} onChange={set} label="Season" options={SEASONS} />
          )}
        </Kept>
      ),
    },
  },
  {
    name: 'Toggles',
    states: {
      some: () => (
        <Kept<string[]> first={['spring']}>
          {(value, set) => (
            <Toggles value={value} onChange={set} label="Seasons" options={SEASONS} />
          )}
        </Kept>
      ),
      invalid: () => (
        <Toggles value={[]} onChange={() => {}} label="Seasons, none" options={SEASONS} invalid />
      ),
    },
  },
  {
    name: 'Select',
    states: {
      plain: () => (
        <Kept first="spring">
          {(value, set) => (
            <Select value={value} onChange={set} label="A season" options={SEASONS} />
          )}
        </Kept>
      ),
      compact: () => (
        <Kept first="spring">
          {(value, set) => (
            <Select value={value} onChange={set} label="Sort by" options={SEASONS} compact />
          )}
        </Kept>
      ),
      disabled: () => (
        <Select value="spring" onChange={() => {}} label="Fixed" options={SEASONS} disabled />
      ),
    },
  },
  {
    name: 'SelectField',
    states: {
      'with hint': () => (
        <Kept first="summer">
          {(value, set) => (
            <SelectField
              label="Folder"
              hint="Where it will be."
              value={value}
              onChange={set}
              options={SEASONS}
            />
          )}
        </Kept>
      ),
      invalid: () => (
        <SelectField
          label="Folder that is gone"
          error="There is no such folder."
          value="spring"
          onChange={() => {}}
          options={SEASONS}
        />
      ),
    },
  },
  {
    name: 'Combobox',
    states: {
      empty: () => (
        <Kept first="">
          {(value, set) => (
            <Combobox
              value={value}
              onChange={set}
              label="Country"
              placeholder="Choose one"
              options={SEASONS}
            />
          )}
        </Kept>
      ),
      chosen: () => (
        <Kept first="winter">
          {(value, set) => (
            <Combobox value={value} onChange={set} label="A country" options={SEASONS} custom />
          )}
        </Kept>
      ),
    },
  },
  { name: 'ChipsInput', states: { plain: Words, invalid: () => <Words wrong /> } },
  {
    name: 'TextField',
    states: {
      plain: () => (
        <Kept first="">
          {(value, set) => (
            <TextField label="Title" hint="Shown in lists." value={value} onChange={set} />
          )}
        </Kept>
      ),
      invalid: () => (
        <Kept first="htp://example">
          {(value, set) => (
            <TextField
              label="Destination"
              error="This is no URL."
              value={value}
              onChange={set}
              dir="ltr"
            />
          )}
        </Kept>
      ),
      disabled: () => <TextField label="Id" value="lnk_01" onChange={() => {}} disabled />,
    },
  },
  {
    name: 'TextareaField',
    states: {
      plain: () => (
        <Kept first={LONG}>
          {(value, set) => <TextareaField label="Notes" value={value} onChange={set} rows={3} />}
        </Kept>
      ),
    },
  },
  {
    name: 'NetworksField',
    states: {
      plain: () => (
        <Kept first={'192.0.2.0/24\n2001:db8::/32'}>
          {(value, set) => (
            <NetworksField
              label="Networks"
              hint="One per line."
              field="networks"
              error={null}
              value={value}
              onChange={set}
            />
          )}
        </Kept>
      ),
    },
  },
  {
    name: 'Input',
    states: {
      plain: () => <Input aria-label="Search" placeholder="Search" />,
      area: () => <Textarea aria-label="Text" defaultValue={'Two\nlines'} />,
      'in a group': () => (
        <InputGroup aria-label="Slug" dir="ltr" before="sho.rt/" defaultValue="summer" />
      ),
    },
  },
  {
    name: 'DayInput',
    states: {
      plain: () => (
        <Kept first="2030-05-01">
          {(value, set) => <DayInput label="From" value={value} onChange={set} />}
        </Kept>
      ),
      stacked: () => (
        <Kept first="2030-05-01">
          {(value, set) => <DayInput stacked label="From" value={value} onChange={set} />}
        </Kept>
      ),
    },
  },
  {
    name: 'Form',
    states: {
      ready: () => (
        <Form task={task(false)}>
          <Submit of={task(false)}>Save</Submit>
        </Form>
      ),
      'being sent': () => (
        <Form task={task(true)}>
          <Submit of={task(true)}>Save</Submit>
        </Form>
      ),
      failed: () => <FormError message="The folder has a new version. Load it again." />,
    },
  },
]
