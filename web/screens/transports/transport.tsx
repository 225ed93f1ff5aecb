import { useEffect, useState } from 'preact/hooks'
import { PublishedBadge } from '../../design/feedback.tsx'
import { Icon } from '../../design/icon.tsx'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { isShown } from '../../records/ending-login.tsx'
import { useProviders } from '../../records/providers.tsx'
import { type Editor, RecordPage, ResourceScreen } from '../../records/resource-screen.tsx'
import { transportWords } from '../../words/transports.ts'
import {
  canTest,
  type Draft,
  failedTestOf,
  type Saving,
  type Transport,
  transportResource,
} from './draft.ts'
import { TransportEvents } from './events.tsx'
import { MoveButton } from './move-to-oauth.tsx'
import { EndingNotice, useEndingLogins } from './parts.tsx'
import { DayCard, TransportSide } from './side.tsx'
import { SaveActions, secretFields, TransportFields } from './transport-form.tsx'
import { TransportTest } from './transport-test.tsx'
import { useDsn } from './use-dsn.ts'

/** One transport: what it did, or its form; or a new one (`?copy=` another), which is tested before it is saved. */
export default function TransportScreen() {
  const [screen] = useState(() => {
    const saving: Saving = { isTested: canTest() }
    return {
      resource: transportResource(saving),
      content: (editor: Editor<Draft, Transport>) => <TransportPage {...{ editor, saving }} />,
    }
  })
  return <ResourceScreen {...screen} />
}

/** What only the list tells of a transport: what depends on it, and its last test. `id` is undefined for a new one. */
function useListed(id: number | undefined, etag: string | undefined) {
  const query = { search: `ids:${id}`, with: 'usage,lastTest' }
  const path = id === undefined ? undefined : '/api/multipleTransports'
  const { data, reload } = useAnswer(path, { query }, { keys: [etag] })
  return { data: data?.[0], reload }
}

function TransportPage({ editor, saving }: { editor: Editor<Draft, Transport>; saving: Saving }) {
  const { id, record, form, isEditing, reload } = editor
  const { providers } = useProviders()
  const dsn = useDsn({ id, dsn: form.draft.mailerDsn, onDsn: form.set('mailerDsn') })
  saving.settle = async (draft) =>
    draft.mailerDsn === dsn.dsn ? { ...draft, mailerDsn: await dsn.settle() } : draft
  useEffect(() => () => saving.controller?.abort(), [])
  const listed = useListed(id, form.etag)
  const usage = listed.data?.usage
  const endingLogins = useEndingLogins(id, form.saved.mailerDsn)
  // While it is edited, the meaning of the DSN says them; log-ins that end have a notice.
  const warnings = isEditing
    ? []
    : record?.warnings?.filter((warning) => !isShown(warning, endingLogins))
  const failed = failedTestOf(form.fault)
  const isCancelled = form.fault?.message === transportWords.test.cancelled
  return (
    <RecordPage
      editor={{ ...editor, record: record && { ...record, warnings } }}
      badge={id !== undefined && <PublishedBadge isPublished={form.saved.isPublished} />}
      notices={
        id !== undefined && (
          <EndingNotice logins={endingLogins} usage={usage}>
            {canTest() && (
              <MoveButton
                id={id}
                saved={{ draft: form.saved, etag: form.etag }}
                logins={endingLogins}
                providers={providers}
                isDisabled={form.isChanged}
                onMoved={reload}
              />
            )}
          </EndingNotice>
        )
      }
      main={
        id !== undefined &&
        !isEditing && (
          <>
            {can('email:view') && <DayCard id={id} />}
            <TransportEvents id={id} dsn={form.saved.mailerDsn} />
          </>
        )
      }
      side={
        <>
          {canTest() && (
            <TransportTest
              id={id}
              isEditing={isEditing}
              settleDsn={dsn.settle}
              testedEmailFrom={form.draft.testedEmailFrom}
              lastTest={listed.data?.lastTest}
              failed={failed}
              notSaved={failed || isCancelled ? form.fault?.message : undefined}
              onTested={listed.reload}
            />
          )}
          {id !== undefined && !isEditing && <TransportSide id={id} usage={usage} />}
        </>
      }
      // The card of the test shows it.
      fault={failed || isCancelled ? null : undefined}
      show={secretFields}
      save={canTest() ? <SaveActions form={form} saving={saving} /> : undefined}
      menu={
        id !== undefined &&
        can('multipleTransports:create') && (
          <a href={`/transports/new?copy=${id}`}>
            <Icon name="copy" />
            {transportWords.editor.duplicate}
          </a>
        )
      }
      onSubmit={({ submitter }) => {
        saving.isTested = canTest() && (submitter as HTMLButtonElement | null)?.value !== 'untested'
      }}
    >
      <TransportFields {...{ id, form, dsn, providers, endingLogins }} />
    </RecordPage>
  )
}
