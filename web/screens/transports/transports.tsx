import { useState } from 'preact/hooks'
import { Badge, HelpLink, PublishedBadge } from '../../design/feedback.tsx'
import { choicesOf } from '../../design/field.tsx'
import { Sparkline } from '../../design/sparkline.tsx'
import type { Column } from '../../design/table.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { changedColumn, nameColumn } from '../../records/columns.tsx'
import { changeRecords } from '../../records/delete-records.tsx'
import { deliveriesHref } from '../../records/delivery-filters.ts'
import { describeDsn, ProviderName, useProviders } from '../../records/providers.tsx'
import { publishedFilter, ResourceListScreen } from '../../records/resource-list.tsx'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'
import { transportWords } from '../../words/transports.ts'
import { LastTest } from './parts.tsx'
import { findRerouted } from './rerouted.tsx'

const { list, test } = transportWords

type Transport = Schema<'TransportInList'>

/** All transports, and the deleted ones. */
export default function TransportsScreen() {
  const [activity, setActivity] = useState<ReadonlyMap<number, Activity>>()
  return (
    <ResourceListScreen
      path="/transports"
      kind="transports"
      add={{ label: transportWords.add, needs: 'multipleTransports:create' }}
      help={<HelpLink page="go-to-production" />}
      list={{
        texts: { ...transportWords, ...list },
        columns: useColumns(activity),
        filters: [
          publishedFilter,
          {
            name: 'lastTest',
            label: list.lastTest,
            options: choicesOf({ passed: test.passed, failed: test.failed, none: test.never }),
          },
        ],
        async load(query, signal) {
          const options = { query: { ...query, with: 'usage,lastTest' }, signal }
          const { body, total } = await ask('GET', '/api/multipleTransports', options)
          // The list does not wait for it.
          const ids = body.map(({ id }) => id)
          void loadActivity(ids, signal).then(setActivity, () => undefined)
          return { rows: body, total }
        },
        actions: changeRecords('transports', {
          texts: transportWords,
          text: (
            <>
              {list.deleteText} <HelpLink page="move-a-brand-to-another-provider" />
            </>
          ),
          findImpact: async (ids, isPublished) => (isPublished ? undefined : findRerouted(ids)),
        }),
      }}
    />
  )
}

function useColumns(
  activity: ReadonlyMap<number, Activity> | undefined,
): readonly Column<Transport>[] {
  const { providers } = useProviders()
  const ofDay: Column<Transport> = {
    label: list.day,
    kind: 'state',
    show: ({ id }) => activity && <ActivityOf id={id} activity={activity.get(id)} />,
  }
  return [
    nameColumn('/transports', transportWords.editor.labels.name, ({ description }) => description),
    {
      label: list.server,
      priority: 2,
      show({ mailerDsn }) {
        const { server, ...provider } = describeDsn(mailerDsn, providers)
        return (
          <>
            <ProviderName {...provider} />
            {server !== '' && <p class="quiet small mono">{server}</p>}
          </>
        )
      },
    },
    {
      label: words.state,
      kind: 'state',
      field: 'isPublished',
      show: ({ isPublished, warnings = [] }) => (
        <span class="row">
          <PublishedBadge isPublished={isPublished} />
          {warnings.length > 0 && (
            <Badge tone="warn" title={warnings.join('\n')}>
              {list.warnings(warnings.length)}
            </Badge>
          )}
        </span>
      ),
    },
    {
      label: list.lastTest,
      kind: 'time',
      field: 'lastTestDate',
      priority: 3,
      show: ({ id, lastTest }) => (
        <LastTest test={lastTest} isInUse={Boolean(activity?.get(id)?.accepted)} />
      ),
    },
    ...(can('email:view') ? [ofDay] : []),
    {
      label: list.assignments,
      kind: 'number',
      priority: 4,
      show: ({ id, usage }) => <Usage id={id} usage={usage} />,
    },
    changedColumn,
  ]
}

function Usage({ id, usage }: Pick<Transport, 'id' | 'usage'>) {
  const { emails = 0, users = 0 } = usage ?? {}
  if (emails + users === 0) return <span class="quiet">{words.none}</span>
  return (
    <a
      href={withQuery('/assignments', { transport: id })}
      title={transportWords.assigned(emails, users)}
    >
      {formatNumber(emails + users)}
    </a>
  )
}

/** The deliveries of a transport in the last 24 hours, by the hour. */
interface Activity {
  total: number
  accepted: number
  counts: readonly number[]
  faults: readonly number[]
}

async function loadActivity(ids: readonly number[], signal: AbortSignal) {
  if (ids.length === 0 || !can('email:view')) return new Map<number, Activity>()
  const query = { by: 'transport', step: '1h', transport: ids.join(','), ...ofBrand() }
  const path = '/api/deliveries/stats'
  const outcome = 'deferred,refused,uncertain'
  const [all, failed] = await Promise.all([
    ask('GET', path, { query, signal }),
    ask('GET', path, { query: { ...query, outcome }, signal }),
  ])
  const faults = new Map(failed.body.series.map((series) => [series.key, series]))
  return new Map(
    all.body.series.map(({ key, total, counts }) => {
      const failed = faults.get(key)
      return [
        Number(key),
        { total, accepted: total - (failed?.total ?? 0), counts, faults: failed?.counts ?? [] },
      ]
    }),
  )
}

/** The deliveries of one transport: when, how many, and which share was accepted. */
function ActivityOf({ id, activity }: { id: number; activity: Activity | undefined }) {
  if (activity === undefined) return <span class="quiet">{words.none}</span>
  const { total, accepted, counts, faults } = activity
  return (
    <>
      <span class="activity">
        <Sparkline counts={counts} faults={faults} label={list.activity(total, total - accepted)} />
        <a href={deliveriesHref({ transportId: String(id) })}>{formatNumber(total)}</a>
      </span>
      <p class="quiet small">{transportWords.share(accepted / total)}</p>
    </>
  )
}
