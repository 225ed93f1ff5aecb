import { asciiDomain } from '../../../src/libraries/mailer/message/ascii-domain.ts'
import { ButtonLink } from '../../design/button.tsx'
import { Empty, HelpLink } from '../../design/feedback.tsx'
import { choicesOf } from '../../design/field.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import type { Schema } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { NameCell, timeColumn } from '../../records/columns.tsx'
import { Filters, type ListFilter } from '../../records/filters.tsx'
import { domainOf, senderHref } from '../../records/sender-domain.ts'
import { AlignmentDot } from '../../records/senders.tsx'
import { useTransportNames } from '../../records/transports.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { formatList } from '../../words/format.ts'
import { senderWords as text } from '../../words/senders.ts'
import { SenderViews } from './views.tsx'

type Sender = Schema<'ListedSender'>

type SenderTransport = Sender['transports'][number]

/** How many transports have a column; the others share one. */
const columnsMax = 5

/** The From domains, each with its transports and whether receivers will believe it there. */
export default function SendersScreen() {
  const list = useList({ field: 'domain', isDescending: false })
  const { start, limit, search } = list.asked
  const { verdict = '', transport = '' } = list.query
  const nameOf = useTransportNames(Number(transport) === 0 ? [] : [Number(transport)])
  const filters = { search, verdict, transport, ...ofBrand() }
  const loaded = useAnswer('/api/senders', { query: { start, limit, ...filters } })
  const byTransport: ListFilter = {
    name: 'transport',
    label: text.transports,
    nameOf: (id) => text.through(id === '0' ? words.defaultTransport : nameOf(Number(id))),
  }
  const isFiltered = Object.values(filters).join('') !== ''
  return (
    <Page title={words.places.senders}>
      <SenderViews shown="" />
      <p class="quiet">
        {text.intro} <HelpLink page="be-believed" />
      </p>
      <Show loaded={loaded}>
        {({ senders, total }) => (
          <>
            <Filters
              search={{ ...list.searching, label: text.search }}
              filters={[byVerdict, byTransport]}
              values={{ verdict, transport }}
              onValues={list.go}
              hits={words.hits(total, words.places.senders)}
            />
            {total === 0 ? (
              <Empty>
                <p>{isFiltered ? text.noMatch : text.empty}</p>
              </Empty>
            ) : (
              <Table
                caption={words.places.senders}
                rows={senders}
                columns={columnsOf(senders)}
                keyOf={({ domain }) => domain}
              />
            )}
            <OtherDomain search={search} senders={senders} />
            {total > limit && <Pager {...list.paging} total={total} />}
          </>
        )}
      </Show>
    </Page>
  )
}

const { notAligned, cannotTell, likely, aligned } = alignmentWords.states
const byVerdict: ListFilter = {
  name: 'verdict',
  label: text.alignment,
  options: choicesOf({ notAligned, cannotTell, likely, aligned }),
}

/** Leads to a domain that was searched for and is not in the list: one that nothing uses can be checked too. */
function OtherDomain({ search, senders }: { search: string; senders: readonly Sender[] }) {
  const domain = domainOf(search) ?? asciiDomain(search.trim())
  if (domain?.includes('.') !== true || senders.some((sender) => sender.domain === domain))
    return null
  return (
    <p>
      <ButtonLink href={senderHref(domain)}>{text.checkDomain(domain)}</ButtonLink>
    </p>
  )
}

/** A row for each domain, and a dot for each transport that sends it: the page of the domain says why. */
function columnsOf(senders: readonly Sender[]): readonly Column<Sender>[] {
  const all = senders.flatMap(({ transports }) => transports)
  const byUse = [...Map.groupBy(all, ({ id }) => id).values()].sort(
    (one, other) => other.length - one.length,
  )
  const shown = byUse.slice(0, columnsMax).flatMap(([first]) => first ?? [])
  const others = (transports: readonly SenderTransport[]) =>
    transports.filter(({ id }) => shown.every((transport) => transport.id !== id))
  const ofOthers: Column<Sender> = {
    label: text.others,
    kind: 'dot',
    show: ({ transports }) =>
      others(transports).map((each) => <AlignmentDot key={each.id} {...each} />),
  }
  return [
    {
      label: text.domain,
      kind: 'name',
      show: ({ domain, sources }) => (
        <NameCell
          href={senderHref(domain)}
          name={domain}
          note={text.usedBy(formatList(sources.map((source) => text.sources[source])))}
        />
      ),
    },
    ...shown.map(
      ({ id, name }): Column<Sender> => ({
        label: name,
        kind: 'dot',
        show({ transports }) {
          const transport = transports.find((each) => each.id === id)
          return transport && <AlignmentDot verdict={transport.verdict} />
        },
      }),
    ),
    ...(byUse.length > shown.length ? [ofOthers] : []),
    {
      label: text.next,
      kind: 'sentence',
      priority: 2,
      show: ({ transports }) => nextStep(transports),
    },
    {
      label: text.policy,
      priority: 4,
      show: ({ policy, transports }) =>
        transports.some(({ dateChecked }) => dateChecked !== null) && (policy ?? words.none),
    },
    timeColumn(words.lastSent, ({ lastUsed }) => lastUsed, { priority: 4 }),
  ]
}

/** The one thing to do for a domain: what its worst transport lacks. */
function nextStep(transports: readonly SenderTransport[]): string | null {
  if (transports.length === 0) return text.noTransport
  const ofVerdict = (verdict: SenderTransport['verdict']) =>
    transports.filter((each) => each.verdict === verdict)
  const [worst] = [
    ...ofVerdict('notAligned'),
    ...transports.filter(({ missing }) => missing !== null),
    ...ofVerdict('cannotTell'),
  ]
  return worst === undefined ? null : (worst.missing?.sentence ?? worst.sentence)
}
