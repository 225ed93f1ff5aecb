import { useState } from 'preact/hooks'
import { Button, ButtonLink } from '../../design/button.tsx'
import { Badge, HelpLink } from '../../design/feedback.tsx'
import type { Column } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import type { Tone } from '../../lib/toasts.ts'
import { useAddress } from '../../lib/use-address.ts'
import { NameCell } from '../../records/columns.tsx'
import { type ListFilter, ResourceListScreen } from '../../records/resource-list.tsx'
import { bouncesHref, findTransportNames, useTransportFilter } from '../../records/transports.tsx'
import { words } from '../../words/common.ts'
import { labels } from '../../words/records.ts'
import { suppressionWords as text } from '../../words/suppressions.ts'
import { AddSuppression, ImportSuppressions, reasonOptions } from './add.tsx'
import { apiFilterOf, DeleteMatching } from './delete-matching.tsx'

type Suppression = Schema<'Suppression'> & {
  /** The name of the transport that found a bounce. */
  transport: string | undefined
}

const tones: Record<Suppression['reason'], Tone> = {
  unsubscribed: 'neutral',
  bounced: 'neutral',
  complained: 'bad',
  manual: 'neutral',
}

const columns: readonly Column<Suppression>[] = [
  {
    label: text.labels.address,
    field: 'address',
    kind: 'name',
    show: ({ address, brand }) =>
      can('email:view') ? (
        <NameCell
          href={withQuery('/deliveries', { recipient: address })}
          name={address}
          brand={brand}
        />
      ) : (
        address
      ),
  },
  {
    label: text.labels.reason,
    kind: 'state',
    field: 'reason',
    show: ({ reason }) => <Badge tone={tones[reason]}>{text.reasons[reason]}</Badge>,
  },
  {
    label: text.labels.senderDomain,
    field: 'senderDomain',
    priority: 3,
    show: ({ senderDomain }) => senderDomain ?? text.everySender,
  },
  {
    label: text.labels.source,
    priority: 2,
    show: Evidence,
  },
  {
    label: text.since,
    kind: 'time',
    field: 'dateAdded',
    priority: 3,
    show: ({ dateAdded, createdBy }) => (
      <>
        <Time iso={dateAdded} />
        {createdBy !== null && <p class="quiet small">{text.by(createdBy)}</p>}
      </>
    ),
  },
]

/** Where a suppression comes from: what found a bounce, or its source. */
function Evidence({ source, transport, transportId, deliveryId }: Suppression) {
  if (deliveryId === null) return <Source source={source} />
  return (
    <>
      {can('multipleTransports:view') &&
        (transportId === null ? (
          <a href={bouncesHref(null)}>{words.defaultTransport}</a>
        ) : (
          <a href={`/transports/${transportId}`}>{transport}</a>
        ))}
      {' · '}
      <Source source={`delivery ${deliveryId}`} />
    </>
  )
}

/** A source: a delivery, an email and a Mautic can be opened; the others filter the list. */
function Source({ source }: { source: string | null }) {
  if (source === null) return <>{words.none}</>
  const [, kind, id] = /^(delivery|email|mautic) (\d+)$/.exec(source) ?? []
  if (kind === undefined) return <a href={withQuery('/suppressions', { source })}>{source}</a>
  if (!can(kind === 'mautic' ? 'api:view' : 'email:view')) return <>{source}</>
  const place = kind === 'delivery' ? 'deliveries' : `${kind}s`
  return <a href={`/${place}/${id}`}>{source}</a>
}

/** The filters of the list; those without options are set by links. */
function useFilters(): readonly ListFilter[] {
  const byTransport = useTransportFilter('transportId', labels.transport)
  return [
    { name: 'reason', label: text.labels.reason, options: reasonOptions },
    ...(can('multipleTransports:view') ? [byTransport] : []),
    { name: 'address', label: text.labels.address },
    { name: 'source', label: text.labels.source },
    { name: 'deliveryId', label: text.delivery },
  ]
}

export default function SuppressionsScreen() {
  const { query } = useAddress()
  const [open, setOpen] = useState<'add' | 'import'>()
  const [version, setVersion] = useState(0)
  const filters = useFilters()
  const filterEntries = ['search', ...filters.map(({ name }) => name)].flatMap((name) =>
    query[name] ? [[name, query[name]] as const] : [],
  )
  const dialog = { onDone: () => setVersion(version + 1), onClose: () => setOpen(undefined) }
  const filter = apiFilterOf({ ...Object.fromEntries(filterEntries), ...ofBrand() })
  return (
    <>
      <ResourceListScreen
        path="/suppressions"
        help={<HelpLink page="jane-did-not-get-her-mail" />}
        tools={
          <>
            <ButtonLink
              href={withQuery('/api/suppressions.csv', { ...filter })}
              download="suppressions.csv"
            >
              {text.export}
            </ButtonLink>
            {can('contact:create') && can('contact:edit') && (
              <Button onClick={() => setOpen('import')}>{text.import}</Button>
            )}
            {can('contact:create') && (
              <Button kind="primary" onClick={() => setOpen('add')}>
                {text.add}
              </Button>
            )}
          </>
        }
        list={{
          texts: text,
          columns,
          filters,
          version,
          order: { field: 'dateAdded', isDescending: true },
          tools: filterEntries.length > 0 && can('contact:delete') && (
            <DeleteMatching label={text.deleteMatching} filter={filter} onDone={dialog.onDone} />
          ),
          async load({ start, limit, orderBy, orderByDir, ...values }, signal) {
            const asked = { start, limit, orderBy, orderByDir, ...apiFilterOf(values) }
            const { body } = await ask('GET', '/api/suppressions', { query: asked, signal })
            const names = await findTransportNames(
              body.suppressions.flatMap((row) => row.transportId ?? []),
              signal,
            )
            const rows = body.suppressions.map((row) => ({
              ...row,
              transport: names(row.transportId ?? 0),
            }))
            return { rows, total: body.total }
          },
          actions: can('contact:delete')
            ? ({ ids, onDone }) => (
                <DeleteMatching
                  label={words.delete}
                  filter={{ search: `ids:${ids.join(',')}` }}
                  onDone={onDone}
                />
              )
            : undefined,
        }}
      />
      {open === 'add' && <AddSuppression {...dialog} />}
      {open === 'import' && <ImportSuppressions {...dialog} />}
    </>
  )
}
