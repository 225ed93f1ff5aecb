import { CopyField } from '../../design/copy-field.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { mauticWords } from '../../words/mautics.ts'

const text = mauticWords.dsn

/** The DSN to enter in Mautic, whole and in parts. */
export function MailerDsn({ dsn }: { dsn: string }) {
  const { protocol, hostname, port, username, password } = new URL(dsn)
  const part = (value: string) => <CopyText text={value} />
  return (
    <>
      <Notice tone="warn">{text.once}</Notice>
      <CopyField label={text.label} text={dsn} />
      <p class="small">{text.where}</p>
      <Facts
        facts={[
          [text.parts.scheme, part(protocol.replace(':', ''))],
          [text.parts.host, part(hostname)],
          [text.parts.port, part(port)],
          [text.parts.path, text.empty],
          [text.parts.user, part(username)],
          [text.parts.password, part(password)],
          [text.parts.options, text.empty],
        ]}
      />
    </>
  )
}
