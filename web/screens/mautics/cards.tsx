import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button } from '../../design/button.tsx'
import { CopyField, CopyText } from '../../design/copy-text.tsx'
import { ConfirmButton, DeleteButton, Dialog } from '../../design/dialog.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { CheckField, TextField } from '../../design/field.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { Card } from '../../design/page.tsx'
import { Period, Time } from '../../design/time.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { field, useForm } from '../../lib/use-form.ts'
import { SmtpFacts } from '../../records/logins.tsx'
import { WebhookBadge } from '../../records/mautic-state.tsx'
import { formatNumber } from '../../words/format.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import { smtpWords } from '../../words/smtp.ts'
import type { Mautic } from './record.tsx'

interface CardProps {
  mautic: Mautic
  title?: string
  /** Called after a change, to read the Mautic again. */
  onChanged: () => void
}

/** A problem, since when it is there, and what to do. */
function Problem({
  title,
  problem,
  since,
  children,
}: {
  title: string
  problem: string
  since: string | null
  children?: ComponentChildren
}) {
  return (
    <Notice tone="bad">
      <p>
        <strong>{title}</strong> <Period since={since} />
      </p>
      <p>{problem}</p>
      {children}
    </Notice>
  )
}

/** What is known of the emails and users of a Mautic, and why it cannot be read. */
export function Synchronization({ mautic, onChanged }: CardProps) {
  const { id, status } = mautic
  if (status === undefined) return null
  const { problem, problemSince, isReinstalled } = status
  const accept = async () => {
    const { body } = await ask('POST', '/api/mautics/{id}/accept', { path: { id } })
    showToast(body.message)
    onChanged()
  }
  return (
    <Card title={text.status.title}>
      {problem !== null && (
        <Problem
          title={isReinstalled ? text.status.reinstalled : text.status.problem}
          problem={problem}
          since={problemSince}
        >
          {isReinstalled && can('*') && (
            <div class="row">
              <ConfirmButton {...text.status.accept} onConfirm={accept} />
            </div>
          )}
        </Problem>
      )}
      <Facts
        facts={[
          [text.status.emails, formatNumber(status.emails)],
          [text.status.users, formatNumber(status.users)],
          [text.status.read, <Time key="read" iso={status.dateRead} />],
          [text.status.readAll, <Time key="readAll" iso={status.dateReadAll} />],
          [text.webhook.title, <WebhookBadge key="webhook" mautic={mautic} />],
          [text.labels.transport, status.transport?.name ?? text.ofMailyard],
        ]}
      />
    </Card>
  )
}

/** The webhook that Mailyard created in a Mautic, once it is known. It is created, and deleted, here. */
export function Webhook({ mautic: { id, status }, ...rest }: CardProps) {
  if (status === undefined) return null
  // It begins again when it was created or deleted.
  return <OwnWebhook key={status.webhook?.id} id={id} webhook={status.webhook} {...rest} />
}

function OwnWebhook({
  id,
  webhook,
  title = text.webhook.title,
  onChanged,
}: Omit<CardProps, 'mautic'> & {
  id: number
  webhook: NonNullable<Mautic['status']>['webhook']
}) {
  const form = useForm({
    texts: text.webhook,
    saved: {
      draft: {
        url: webhook?.url.replace(/\/webhooks\/mautic\/\d+$/, '') ?? '',
        acceptsUnproven: webhook?.acceptsUnproven ?? false,
      },
      etag: undefined,
    },
    async save(draft) {
      const { url, ...flags } = draft
      const body = url.trim() === '' ? flags : { ...flags, url: url.trim() }
      const answer = await ask('POST', '/api/mautics/{id}/webhook', { path: { id }, body })
      const { webhook: created, warnings = [] } = answer.body
      const sentence = (created.isNew ? text.webhook.created : text.webhook.existed)(
        created.id,
        created.url,
      )
      showToast([sentence, ...warnings].join(' '), warnings.length === 0 ? 'good' : 'warn')
      onChanged()
      return { draft, etag: undefined }
    },
  })
  const remove = async () => {
    const path = { id }
    showToast((await ask('DELETE', '/api/mautics/{id}/webhook/delete', { path })).body.message)
    onChanged()
  }
  return (
    <Card
      title={title}
      tools={
        can('*') &&
        webhook !== null && (
          <DeleteButton
            title={text.webhook.deleteTitle}
            text={text.webhook.deleteText}
            onConfirm={remove}
          />
        )
      }
    >
      <p class="quiet small">{text.webhook.about}</p>
      {webhook?.problem != null && (
        <Problem
          title={text.webhook.problem}
          problem={webhook.problem}
          since={webhook.problemSince}
        />
      )}
      {webhook !== null && (
        <Facts
          facts={[
            [text.webhook.id, String(webhook.id)],
            [text.webhook.address, webhook.url],
            [
              text.webhook.lastChange,
              <Time key="change" iso={webhook.dateLastChange} none={text.webhook.unknown} />,
            ],
          ]}
        />
      )}
      {can('*') && (
        <form class="stack" onSubmit={form.submit}>
          <FormFault form={form} />
          <TextField {...field(form, 'url')} placeholder={globalThis.location.origin} />
          <CheckField {...field(form, 'acceptsUnproven')} />
          <div class="row">
            <Button type="submit" isBusy={form.isBusy}>
              {webhook === null ? text.webhook.create : text.webhook.createAgain}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}

/** The DSN to enter in Mautic, whole and in parts. */
export function MailerDsn({ dsn }: { dsn: string }) {
  const { protocol, hostname, port, username, password } = new URL(dsn)
  const part = (value: string) => <CopyText text={value} />
  return (
    <>
      <Notice tone="warn">{text.dsn.once}</Notice>
      <CopyField label={text.dsn.label} text={dsn} />
      <p class="small">{text.dsn.where}</p>
      <Facts
        facts={[
          [smtpWords.scheme, part(protocol.replace(':', ''))],
          [smtpWords.host, part(hostname)],
          [smtpWords.port, part(port)],
          [text.dsn.path, text.dsn.empty],
          [smtpWords.user, part(username)],
          [smtpWords.password, part(password)],
          [text.dsn.options, text.dsn.empty],
        ]}
      />
    </>
  )
}

/** The custom headers that name contact and owner of each message. */
export function Headers({ title }: { title: string }) {
  return (
    <Card title={title}>
      <p class="small">{text.headers.help}</p>
      <Facts
        facts={[
          ['X-Contact-Id', <CopyText key="contact" text={text.headers.contact} />],
          ['X-Owner-Id', <CopyText key="owner" text={text.headers.owner} />],
        ]}
      />
    </Card>
  )
}

/** The SMTP log-in of a Mautic, and a new password for it. */
export function SmtpLogin({ mautic: { id, name, smtpLogin }, onChanged }: CardProps) {
  const [dsn, setDsn] = useState<string>()
  const renew = async () => {
    const body = { newPassword: true }
    const answer = await ask('PATCH', '/api/mautics/{id}/edit', { path: { id }, body })
    setDsn(answer.body.mautic.mailerDsn)
    onChanged()
  }
  return (
    <Card
      title={text.smtp.title}
      tools={can('*') && <ConfirmButton {...text.smtp.renew} onConfirm={renew} />}
    >
      <SmtpFacts user={smtpLogin} password={text.smtp.shownOnce} />
      {dsn !== undefined && (
        <Dialog
          title={text.smtp.shown(name)}
          done={text.smtp.done}
          onClose={() => setDsn(undefined)}
        >
          <MailerDsn dsn={dsn} />
        </Dialog>
      )}
    </Card>
  )
}
