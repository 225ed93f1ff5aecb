import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Confirm, Dialog } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { mauticWords } from '../../words/mautics.ts'
import type { Mautic } from './draft.ts'
import { MailerDsn } from './mailer-dsn.tsx'

const text = mauticWords.smtp

/** The SMTP log-in of a Mautic, and a new password for it. */
export function SmtpLogin({
  mautic: { id, name, smtpLogin },
  onChanged,
}: {
  mautic: Mautic
  onChanged: () => void
}) {
  const [isAsking, setAsking] = useState(false)
  const [dsn, setDsn] = useState<string>()
  const renew = async () => {
    const body = { newPassword: true }
    const answer = await ask('PATCH', '/api/mautics/{id}/edit', { path: { id }, body })
    setDsn(answer.body.mautic.mailerDsn)
    onChanged()
  }
  return (
    <section class="card narrow" aria-label={text.title}>
      <h2>{text.title}</h2>
      <Facts facts={[[text.login, <CopyText key="login" text={smtpLogin} />]]} />
      {can('*') && (
        <div class="row">
          <Button onClick={() => setAsking(true)}>{text.renew}</Button>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={text.renewTitle}
          text={text.renewText}
          action={text.renew}
          onConfirm={renew}
          onClose={() => setAsking(false)}
        />
      )}
      {dsn !== undefined && (
        <Dialog title={text.shown(name)} onClose={() => setDsn(undefined)}>
          <MailerDsn dsn={dsn} />
          <div class="row">
            <Button kind="primary" onClick={() => setDsn(undefined)}>
              {text.done}
            </Button>
          </div>
        </Dialog>
      )}
    </section>
  )
}
