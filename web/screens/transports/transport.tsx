import { useEffect, useRef } from 'preact/hooks'
import { useLocation, useRoute } from 'preact-iso/router'
import { ButtonLink } from '../../design/button.tsx'
import { HelpLink, PublishedBadge } from '../../design/feedback.tsx'
import { Page, RecordLayout, Show } from '../../design/page.tsx'
import { brandInput } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { showToast } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useAnswer, useData } from '../../lib/use-data.ts'
import { type Saved, useForm } from '../../lib/use-form.ts'
import { DeleteRecords } from '../../records/delete-records.tsx'
import { loadProviders, type Provider } from '../../records/providers.tsx'
import { openAgain } from '../../records/resource-screen.tsx'
import { transportWords } from '../../words/transports.ts'
import { type Draft, draftOf, failedTestOf, loadTransport, saveTransport } from './draft.ts'
import { TransportEvents } from './events.tsx'
import { MoveButton } from './move-to-oauth.tsx'
import { EndingNotice, useEndingLogins } from './parts.tsx'
import { TransportSide } from './side.tsx'
import { canTest, type Saving, TransportFacts, TransportForm } from './transport-form.tsx'
import { TransportTest } from './transport-test.tsx'
import { useDsn } from './use-dsn.ts'

const { editor } = transportWords
const back = { href: '/transports', label: transportWords.title }

/** One transport: change it, or add a new one (`?copy=` another), and test it before or after it is saved. */
export default function TransportScreen() {
  const { id } = useRoute().params
  const { copy } = useAddress().query
  return <Loaded key={id} id={id === 'new' ? undefined : Number(id)} copied={copy} />
}

function Loaded({ id, copied }: { id: number | undefined; copied: string | undefined }) {
  const loaded = useData(async () => {
    const [saved, { providers }] = await Promise.all([
      id === undefined ? copyOf(copied) : loadTransport(id),
      loadProviders(),
    ])
    return { saved, providers }
  }, [id, copied])
  return (
    <Show loaded={loaded} back={back}>
      {(data) => <TransportPage key={data.saved.etag} id={id} {...data} onMoved={loaded.reload} />}
    </Show>
  )
}

async function copyOf(copied: string | undefined): Promise<Saved<Draft>> {
  if (copied === undefined) return { draft: draftOf(), etag: undefined }
  const { draft } = await loadTransport(Number(copied))
  return { draft: { ...draft, name: editor.copyName(draft.name) }, etag: undefined }
}

/** What only the list tells of a transport: what depends on it, and its last test. `id` is undefined for a new one. */
function useListed(id: number | undefined, etag: string | undefined) {
  const query = { search: `ids:${id}`, with: 'usage,lastTest' }
  const path = id === undefined ? undefined : '/api/multipleTransports'
  const { data, reload } = useAnswer(path, { query }, { keys: [etag] })
  return { data: data?.[0], reload }
}

interface TransportProps {
  /** Undefined for a new transport. */
  id: number | undefined
  saved: Saved<Draft>
  providers: readonly Provider[]
  /** Called after the saved transport was moved to OAuth. */
  onMoved: () => void
}

/** The form of a transport, or its values for those who may not change it; its test and its state at the right. */
function TransportPage({ id, saved, providers, onMoved }: TransportProps) {
  const { route } = useLocation()
  const saving = useRef<Saving>({ isTested: canTest() })
  useEffect(() => () => saving.current.controller?.abort(), [])
  const form = useForm<Draft>({
    texts: editor,
    saved,
    ...(id === undefined ? {} : { load: () => loadTransport(id) }),
    prepare: async (draft) =>
      draft.mailerDsn === dsn.dsn ? { ...draft, mailerDsn: await dsn.settle() } : draft,
    async save(draft, { etag, changed }) {
      const { brand, ...own } = draft
      const values = {
        ...own,
        testedEmailFrom: draft.testedEmailFrom || null,
        ...brandInput(brand),
      }
      const changes = Object.fromEntries(
        Object.entries(values).filter(([name]) => changed.includes(name as keyof Draft)),
      )
      const transport = id === undefined ? { id, values } : { id, values: changes, etag }
      const controller = saving.current.isTested ? new AbortController() : undefined
      saving.current.controller = controller
      const answer = await saveTransport(transport, controller?.signal)
      showToast(transportWords.saved(answer.body.name))
      if (id === undefined) route(`/transports/${answer.body.id}`, true)
      return { draft: draftOf(answer.body), etag: answer.etag }
    },
  })
  const dsn = useDsn({ id, dsn: form.draft.mailerDsn, onDsn: form.set('mailerDsn') })
  const listed = useListed(id, form.etag)
  const usage = listed.data?.usage
  const endingLogins = useEndingLogins(id, form.saved.mailerDsn)
  const canEdit = id === undefined || canTest()
  const content = { id, form, dsn, providers, endingLogins, saving }
  return (
    <Page
      title={id === undefined ? transportWords.new : form.saved.name}
      back={back}
      badge={id !== undefined && <PublishedBadge isPublished={form.saved.isPublished} />}
      actions={id !== undefined && canEdit && <Actions id={id} name={form.saved.name} />}
    >
      {id !== undefined && (
        <EndingNotice logins={endingLogins} usage={usage}>
          {canEdit && (
            <MoveButton
              id={id}
              saved={{ draft: form.saved, etag: form.etag }}
              logins={endingLogins}
              providers={providers}
              isDisabled={form.isChanged}
              onMoved={onMoved}
            />
          )}
        </EndingNotice>
      )}
      <RecordLayout
        side={
          <>
            {canTest() && (
              <TransportTest
                id={id}
                settleDsn={dsn.settle}
                testedEmailFrom={form.draft.testedEmailFrom}
                lastTest={listed.data?.lastTest}
                failed={failedTestOf(form.fault)}
                notSaved={form.fault?.message}
                onTested={listed.reload}
              />
            )}
            {id !== undefined && <TransportSide id={id} usage={usage} />}
          </>
        }
      >
        {canEdit ? <TransportForm {...content} /> : <TransportFacts {...content} />}
        {id !== undefined && <TransportEvents id={id} dsn={form.saved.mailerDsn} />}
      </RecordLayout>
    </Page>
  )
}

function Actions({ id, name }: { id: number; name: string }) {
  const { route } = useLocation()
  return (
    <>
      {can('multipleTransports:create') && (
        <ButtonLink href={`/transports/new?copy=${id}`}>{editor.duplicate}</ButtonLink>
      )}
      <DeleteRecords
        kind="transports"
        ids={[id]}
        titleOf={() => transportWords.deleteTitle(name)}
        text={
          <>
            {editor.deleteText} <HelpLink page="move-a-brand-to-another-provider" />
          </>
        }
        onDeleted={() => route('/transports')}
        onRestored={() => openAgain(route, '/transports', id)}
      />
    </>
  )
}
