import { CopyText } from '../design/copy-text.tsx'
import { Facts } from '../design/facts.tsx'
import { choicesOf } from '../design/field.tsx'
import type { Schema } from '../lib/api.ts'
import { session } from '../lib/session.ts'
import { smtpWords as text } from '../words/smtp.ts'

/** What an application needs to submit messages: the real host and port, the user, and how it gets the password. */
export function SmtpFacts({ user, password }: { user: string; password: string }) {
  const smtp = session.value?.smtp
  if (!smtp) return <p class="quiet">{text.closed}</p>
  const { scheme, host, port } = smtp
  const part = (value: string) => <CopyText text={value} isOneLine />
  return (
    <Facts
      facts={[
        [text.scheme, scheme],
        [text.host, part(host)],
        [text.port, part(String(port))],
        [text.user, part(user)],
        [text.password, password],
      ]}
    />
  )
}

/** The mailer DSN with a new password, whole and in parts. */
export function smtpDsn(user: string, password: string): string | undefined {
  const smtp = session.value?.smtp
  if (!smtp) return undefined
  return `${smtp.scheme}://${user}:${password}@${smtp.host}:${smtp.port}`
}

/** A mode, or empty for the setting. */
export type SmtpModeDraft = NonNullable<Schema<'User'>['smtpMode']> | ''

/** The modes, for the editors of users and OAuth clients. */
export const smtpModeOptions = choicesOf(text.modes)

/** Returns the mode for the API. */
export const smtpModeOf = (draft: SmtpModeDraft) => (draft === '' ? null : draft)
