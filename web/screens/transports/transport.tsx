import { useRoute } from 'preact-iso/router'
import { Page, Show } from '../../design/page.tsx'
import { ask } from '../../lib/api.ts'
import { can } from '../../lib/session.ts'
import { useAddress } from '../../lib/use-address.ts'
import { useData } from '../../lib/use-data.ts'
import type { Saved } from '../../lib/use-form.ts'
import { BouncesLink } from '../../records/bounces-link.tsx'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { ofTransport } from '../../records/suppression-filters.ts'
import { transportWords } from '../../words/transports.ts'
import { type Draft, draftOf, emptyDraft } from './draft.ts'
import type { Provider } from './dsn-fields.tsx'
import { EndingNotice } from './ending-notice.tsx'
import { MoveHelp } from './move-help.tsx'
import { TransportEditor } from './transport-editor.tsx'
import { TransportFacts } from './transport-facts.tsx'
import { TransportLimits } from './transport-limits.tsx'
import { useEndingLogins } from './use-ending-logins.ts'
import { useListed } from './use-listed.ts'

const { editor } = transportWords

/** One transport: change it, or add a new one (`?copy=` another), and test it before or after it is saved. */
export function TransportScreen() {
  const { id } = useRoute().params
  const { query } = useAddress()
  if (id === 'new') return <NewTransport key="new" copied={query['copy']} />
  return <SavedTransport key={id} id={Number(id)} />
}

function NewTransport({ copied }: { copied: string | undefined }) {
  const loaded = useData(async () => {
    const draft = copied === undefined ? emptyDraft : await copy(Number(copied))
    return { saved: { draft, etag: undefined }, providers: await loadProviders() }
  }, [copied])
  return (
    <Show loaded={loaded}>
      {({ saved, providers }) => (
        <TransportEditor
          id={undefined}
          saved={saved}
          providers={providers}
          load={undefined}
          onMoved={loaded.reload}
        />
      )}
    </Show>
  )
}

async function copy(id: number): Promise<Draft> {
  const { draft } = await load(id)
  return { ...draft, name: editor.copyName(draft.name) }
}

function SavedTransport({ id }: { id: number }) {
  const loaded = useData(async () => {
    const [saved, providers] = await Promise.all([load(id), loadProviders()])
    return { saved, providers }
  }, [id])
  return (
    <Show loaded={loaded}>
      {({ saved, providers }) =>
        can('multipleTransports:edit') ? (
          <>
            <TransportEditor
              key={saved.etag}
              id={id}
              saved={saved}
              providers={providers}
              load={() => load(id)}
              onMoved={loaded.reload}
            />
            <TransportLimits id={id} />
            <TransportLinks id={id} />
          </>
        ) : (
          <Page title={saved.draft.name}>
            <ViewedTransport id={id} draft={saved.draft} providers={providers} />
            <TransportLimits id={id} />
            <TransportLinks id={id} />
          </Page>
        )
      }
    </Show>
  )
}

/** A transport for those who may not change it. */
function ViewedTransport({
  id,
  draft,
  providers,
}: {
  id: number
  draft: Draft
  providers: readonly Provider[]
}) {
  const { data } = useListed(id, [])
  const logins = useEndingLogins(id, draft.mailerDsn)
  return (
    <>
      <EndingNotice logins={logins} usage={data?.usage} />
      <TransportFacts id={id} transport={draft} providers={providers} endingLogins={logins} />
    </>
  )
}

/** What the transport has sent, and what to do when another one takes its place. */
function TransportLinks({ id }: { id: number }) {
  return (
    <p class="row">
      {can('email:view') && (
        <a href={deliveriesHref({ transportId: String(id) })}>{editor.deliveries}</a>
      )}
      <BouncesLink filters={ofTransport(id)} />
      <MoveHelp />
    </p>
  )
}

async function load(id: number): Promise<Saved<Draft>> {
  const { body, etag } = await ask('GET', '/api/multipleTransports/{id}', { path: { id } })
  return { draft: draftOf(body), etag }
}

async function loadProviders(): Promise<Provider[]> {
  return (await ask('GET', '/api/multipleTransports/providers')).body.providers
}
