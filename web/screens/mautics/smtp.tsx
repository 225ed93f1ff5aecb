import { useState } from 'preact/hooks'
import { CopyField, CopyText } from '../../design/copy-text.tsx'
import { ConfirmButton, Dialog } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { Card } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { SmtpFacts } from '../../records/logins.tsx'
import { mauticWords } from '../../words/mautics.ts'
import { smtpWords } from '../../words/smtp.ts'
import type { Mautic } from './record.tsx'

const { smtp: text, dsn: dsnText, headers } = mauticWords

/** The DSN to enter in Mautic, whole and in parts. */
export function MailerDsn({ dsn }: { dsn: string }) {
  const { protocol, hostname, port, username, password } = new URL(dsn)
  const part = (value: string) => <CopyText text={value} />
  return (
    <>
      <Notice tone="warn">{dsnText.once}</Notice>
      <CopyField label={dsnText.label} text={dsn} />
      <p class="small">{dsnText.where}</p>
      <Facts
        facts={[
          [smtpWords.scheme, part(protocol.replace(':', ''))],
          [smtpWords.host, part(hostname)],
          [smtpWords.port, part(port)],
          [dsnText.path, dsnText.empty],
          [smtpWords.user, part(username)],
          [smtpWords.password, part(password)],
          [dsnText.options, dsnText.empty],
        ]}
      />
    </>
  )
}

/** The custom headers that name contact and owner of each message. */
export function Headers({ title }: { title: string }) {
  return (
    <Card title={title}>
      <p class="small">{headers.help}</p>
      <Facts
        facts={[
          ['X-Contact-Id', <CopyText key="contact" text={headers.contact} />],
          ['X-Owner-Id', <CopyText key="owner" text={headers.owner} />],
        ]}
      />
    </Card>
  )
}

/** The SMTP log-in of a Mautic, and a new password for it. */
export function SmtpLogin({
  mautic: { id, name, smtpLogin },
  onChanged,
}: {
  mautic: Mautic
  onChanged: () => void
}) {
  const [dsn, setDsn] = useState<string>()
  const renew = async () => {
    const body = { newPassword: true }
    const answer = await ask('PATCH', '/api/mautics/{id}/edit', { path: { id }, body })
    setDsn(answer.body.mautic.mailerDsn)
    onChanged()
  }
  return (
    <Card
      title={text.title}
      tools={can('*') && <ConfirmButton {...text.renew} onConfirm={renew} />}
    >
      <SmtpFacts user={smtpLogin} password={text.shownOnce} />
      {dsn !== undefined && (
        <Dialog title={text.shown(name)} done={text.done} onClose={() => setDsn(undefined)}>
          <MailerDsn dsn={dsn} />
        </Dialog>
      )}
    </Card>
  )
}
