import { CopyText } from '../design/copy-text.tsx'
import { Facts } from '../design/facts.tsx'
import { CheckField, choicesOf, SelectField, TextArea, TextField } from '../design/field.tsx'
import type { Schema } from '../lib/api.ts'
import { linesOf } from '../lib/lines-of.ts'
import { can, session } from '../lib/session.ts'
import { useAnswer } from '../lib/use-data.ts'
import { type Form, field } from '../lib/use-form.ts'
import { smtpWords as text } from '../words/smtp.ts'

/** How a user, an OAuth client or a Mautic logs in, as forms have it. */
type LoginDraft = ReturnType<typeof loginDraftOf>

/** A mode, or empty for the setting. */
type SmtpMode = NonNullable<Schema<'User'>['smtpMode']> | ''

/** `newMode` is the SMTP mode of a new record. */
export function loginDraftOf(
  record: Pick<Schema<'User'>, 'smtpMode' | 'networks' | 'validUntil' | 'isPublished'> | undefined,
  newMode: SmtpMode = '',
) {
  const smtpMode: SmtpMode = record === undefined ? newMode : (record.smtpMode ?? '')
  return {
    smtpMode,
    /** From where: one on each line; empty for any. */
    networks: record?.networks.join('\n') ?? '',
    /** The last day; empty for no end. */
    validUntil: record?.validUntil ?? '',
    isPublished: record?.isPublished ?? true,
  }
}

/** Returns the values for the API. */
export const loginInputOf = ({ smtpMode, networks, validUntil, isPublished }: LoginDraft) => ({
  smtpMode: smtpMode === '' ? null : smtpMode,
  networks: linesOf(networks),
  validUntil: validUntil === '' ? null : validUntil,
  isPublished,
})

/** The fields that users, OAuth clients and Mautics have in common: they are the last ones. */
export function LoginFields<Draft extends LoginDraft>(props: { form: Form<Draft> }) {
  // Their forms have further fields, which are not touched here.
  const form = props.form as object as Form<LoginDraft>
  return (
    <>
      <SelectField {...field(form, 'smtpMode')} options={choicesOf(text.modes)} />
      <TextArea {...field(form, 'networks')} rows={2} isMono />
      <TextField {...field(form, 'validUntil')} type="date" />
      <CheckField {...field(form, 'isPublished')} />
    </>
  )
}

const rolesMax = 1_000

/** The roles to choose from; none for readers who may not view them. */
export function useRoles() {
  const query = { limit: rolesMax, orderBy: 'name' }
  const { data } = useAnswer(can('user:view') ? '/api/roles' : undefined, { query })
  return (data?.roles ?? []).map((role) => ({ value: String(role.id), label: role.name, role }))
}

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
