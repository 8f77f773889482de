import { usePlace } from '../../../app/workspace.tsx'
import { useI18n } from '../../../i18n/index.tsx'
import { Page } from '../../../ui/page.tsx'
import { ActivitySection } from './activity.tsx'
import { BookmarkletSection } from './bookmarklet.tsx'
import { DataSection } from './data.tsx'
import { DeleteAccountSection } from './delete.tsx'
import { EmailSection } from './email.tsx'
import { PasskeysSection } from './passkeys.tsx'
import { PasswordSection } from './password.tsx'
import { PictureSection } from './picture.tsx'
import { ProfileSection } from './profile.tsx'
import { SessionsSection } from './sessions.tsx'
import { TwoFactorSection } from './two-factor.tsx'

/** The person's profile, appearance, and credentials. */
export function AccountPage() {
  const { t } = useI18n()
  const { instance, user } = usePlace()
  return (
    <Page narrow title={t('settings.account')}>
      <div className="flex flex-col gap-5">
        <ProfileSection />
        <PictureSection />
        {instance.mail ? <EmailSection /> : null}
        {user.has_password ? <PasswordSection /> : null}
        {instance.sign_in.passkey ? <PasskeysSection /> : null}
        {user.has_password ? <TwoFactorSection /> : null}
        <BookmarkletSection />
        <SessionsSection />
        <ActivitySection />
        <DataSection />
        <DeleteAccountSection />
      </div>
    </Page>
  )
}
