import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { CopyText } from '../../design/copy-text.tsx'
import { Facts } from '../../design/facts.tsx'
import { Notice } from '../../design/feedback.tsx'
import { FormFault } from '../../design/form-fault.tsx'
import { Page } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { useForm } from '../../lib/use-form.ts'
import { mauticWords } from '../../words/mautics.ts'
import { type Draft, draftOf, emptyDraft, inputOf, type Mautic } from './draft.ts'
import { FirstMessage } from './first-message.tsx'
import { MailerDsn } from './mailer-dsn.tsx'
import { MauticCheck } from './mautic-check.tsx'
import { LoginFields } from './mautic-fields.tsx'
import { OwnWebhook } from './own-webhook.tsx'

const { connect: text, labels, headers } = mauticWords

/** Leads through the connection of a Mautic: the form, then what to enter in Mautic, the check and the first message. */
export function Connect() {
  const [mautic, setMautic] = useState<Mautic>()
  return mautic === undefined ? <NewMautic onCreated={setMautic} /> : <Steps mautic={mautic} />
}

function NewMautic({ onCreated }: { onCreated: (mautic: Mautic) => void }) {
  const form = useForm<Draft>({
    saved: { draft: emptyDraft(), etag: undefined },
    async save(draft) {
      const { body } = await ask('POST', '/api/mautics/new', { body: inputOf(draft) })
      onCreated(body.mautic)
      return { draft: draftOf(body.mautic), etag: undefined }
    },
  })
  return (
    <Page title={text.title}>
      <form class="card narrow" onSubmit={form.submit}>
        <FormFault form={form} labels={labels} />
        <LoginFields form={form} />
        <div class="row">
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            {text.submit}
          </Button>
        </div>
      </form>
    </Page>
  )
}

function Steps({ mautic }: { mautic: Mautic }) {
  const { id, name, mailerDsn, warnings = [] } = mautic
  return (
    <Page
      title={text.connected(name)}
      actions={<ButtonLink href={`/mautics/${id}`}>{text.open}</ButtonLink>}
    >
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {warning}
        </Notice>
      ))}
      <section class="card narrow" aria-label={text.steps.dsn}>
        <h2>{text.steps.dsn}</h2>
        {mailerDsn !== undefined && <MailerDsn dsn={mailerDsn} />}
      </section>
      <section class="card narrow" aria-label={text.steps.headers}>
        <h2>{text.steps.headers}</h2>
        <p class="small">{headers.help}</p>
        <Facts
          facts={[
            ['X-Contact-Id', <CopyText key="contact" text={headers.contact} />],
            ['X-Owner-Id', <CopyText key="owner" text={headers.owner} />],
          ]}
        />
      </section>
      <MauticCheck id={id} title={text.steps.check} isAutomatic />
      <OwnWebhook id={id} title={text.steps.webhook} />
      <FirstMessage id={id} title={text.steps.message} />
    </Page>
  )
}
