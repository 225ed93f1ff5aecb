import { useState } from 'preact/hooks'
import { useRoute } from 'preact-iso/router'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Warnings } from '../../design/feedback.tsx'
import { FormActions } from '../../design/form-fault.tsx'
import { Card, Page, RecordLayout } from '../../design/page.tsx'
import { Tabs } from '../../design/tabs.tsx'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer } from '../../lib/use-data.ts'
import type { Form } from '../../lib/use-form.ts'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { MauticState } from '../../records/mautic-state.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { words } from '../../words/common.ts'
import { mauticWords as text } from '../../words/mautics.ts'
import { Headers, MailerDsn, SmtpLogin, Synchronization, Webhook } from './cards.tsx'
import { CheckHelp, MauticCheck } from './check.tsx'
import { ConnectionFields, MoreFields } from './fields.tsx'
import { LastMessage } from './messages.tsx'
import {
  type Created,
  type Draft,
  type Mautic,
  type MauticPageState,
  mauticResource,
} from './record.tsx'
import { Reports } from './reports.tsx'

/** One Mautic: its state, its settings and its reports. A new one is led through the steps to its first message. */
export default function MauticScreen() {
  const { params, query } = useRoute()
  const [created, setCreated] = useState<Created>()
  // One component for as long as the page is shown: another one would lose the focus, and load everything again.
  const [screen] = useState(() => {
    const page: MauticPageState = {}
    return {
      resource: mauticResource(page, setCreated),
      content: (editor: Editor<Draft, Mautic>) =>
        editor.record === undefined ? (
          <NewMautic editor={editor} page={page} />
        ) : (
          <MauticPage editor={editor} page={page} mautic={editor.record} />
        ),
    }
  })
  if (
    created !== undefined &&
    params['id'] === String(created.mautic.id) &&
    query['tab'] === undefined &&
    query['edit'] === undefined
  )
    return <Steps {...created} />
  return <ResourceScreen {...screen} />
}

interface EditorProps {
  editor: Editor<Draft, Mautic>
  page: MauticPageState
}

function NewMautic({ editor, page }: EditorProps) {
  const { form } = editor
  return (
    <RecordPage
      editor={editor}
      side={
        <Card title={text.connect.next}>
          <ol class="setup-steps">
            {Object.values(text.connect.steps).map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Card>
      }
      fault={<TestFault form={form} />}
      save={<SaveActions form={form} label={text.connect.submit} page={page} />}
    >
      <ConnectionFields form={form} />
    </RecordPage>
  )
}

/** The report on a log-in that failed its test; undefined where it was not tested. */
function testOf({ fault }: Form<Draft>) {
  return fault?.answer['test'] as { stages: { stage: string; outcome: string }[] } | undefined
}

function TestFault({ form }: { form: Form<Draft> }) {
  const test = testOf(form)
  if (test === undefined) return null
  return (
    <p class="small">
      <CheckHelp isLogin={test.stages[0]?.outcome === 'ok'} />
    </p>
  )
}

/** Save; and, after a failed test, saving without it: for a Mautic that is down. */
function SaveActions({
  form,
  page,
  label = words.save,
}: {
  form: Form<Draft>
  page: MauticPageState
  label?: string
}) {
  const saveUntested = async () => {
    page.isUntested = true
    await form.save()
    page.isUntested = false
  }
  return (
    <FormActions form={form} label={label}>
      {testOf(form) !== undefined && (
        <Button isBusy={form.isBusy} onClick={() => void saveUntested()}>
          {text.saveUntested}
        </Button>
      )}
    </FormActions>
  )
}

function MauticPage({ editor, page, mautic: record }: EditorProps & { mautic: Mautic }) {
  const { form } = editor
  const { id } = record
  const { query, go } = useAddress()
  const live = useAnswer('/api/mautics/{id}', { path: { id } }, { refreshMs: 10_000 })
  const mautic = live.data?.mautic ?? record
  const tab = (query['tab'] ?? 'state') as keyof typeof text.tabs
  return (
    <RecordPage
      editor={{ ...editor, record: mautic }}
      badge={<MauticState mautic={mautic} />}
      side={
        <>
          <Webhook mautic={mautic} onChanged={live.reload} />
          <Headers title={text.headers.title} />
        </>
      }
      fault={<TestFault form={form} />}
      save={<SaveActions form={form} page={page} />}
      wrap={(settings) => (
        <Tabs
          label={mautic.name}
          tabs={text.tabs}
          shown={tab}
          onShow={(name) => go({ tab: name }, true)}
        >
          {tab === 'state' && (
            <RecordLayout
              side={
                <>
                  <Synchronization mautic={mautic} onChanged={live.reload} />
                  <SmtpLogin mautic={mautic} onChanged={live.reload} />
                </>
              }
            >
              <LastMessage id={id} />
              <MauticCheck id={id} />
            </RecordLayout>
          )}
          {tab === 'settings' && settings}
          {tab === 'reports' && (
            <>
              {can('email:view') && (
                <p>
                  <a href={deliveriesHref({ mautic: String(id), outcome: 'refused' })}>
                    {text.refused}
                  </a>
                </p>
              )}
              <Reports mautic={mautic} />
            </>
          )}
        </Tabs>
      )}
    >
      <ConnectionFields form={form} />
      <MoreFields form={form} />
    </RecordPage>
  )
}

/** What is left to do after a Mautic was connected, up to its first message. */
function Steps({ mautic, isTested }: Created) {
  const { id, name, mailerDsn, warnings } = mautic
  const { steps, connected, stored, open } = text.connect
  const live = useAnswer('/api/mautics/{id}', { path: { id } }, { refreshMs: 5_000 })
  const now = live.data?.mautic ?? mautic
  return (
    <Page
      title={isTested ? connected(name) : stored(name)}
      back={{ href: '/mautics', label: text.title }}
      actions={<ButtonLink href={`/mautics/${id}?tab=state`}>{open}</ButtonLink>}
    >
      <Warnings texts={warnings} />
      <RecordLayout
        isSideWide
        side={
          <>
            <MauticCheck id={id} title={steps.check} isAutomatic />
            <LastMessage id={id} title={steps.message} isFirst />
          </>
        }
      >
        <Card title={steps.dsn}>{mailerDsn !== undefined && <MailerDsn dsn={mailerDsn} />}</Card>
        <Headers title={steps.headers} />
        <Webhook mautic={now} title={steps.webhook} onChanged={live.reload} />
      </RecordLayout>
    </Page>
  )
}
