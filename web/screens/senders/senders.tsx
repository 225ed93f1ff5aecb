import { asciiDomain } from '../../../src/libraries/mailer/message/ascii-domain.ts'
import { ButtonLink } from '../../design/button.tsx'
import { Badge, Empty, HelpLink } from '../../design/feedback.tsx'
import { choicesOf } from '../../design/field.tsx'
import { LongText } from '../../design/long-text.tsx'
import { Page, Show } from '../../design/page.tsx'
import { type Column, Pager, Table } from '../../design/table.tsx'
import { Time } from '../../design/time.tsx'
import type { Schema } from '../../lib/api.ts'
import { ofBrand } from '../../lib/brand.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { useList } from '../../lib/use-list.ts'
import { Filters, type ListFilter } from '../../records/filters.tsx'
import { domainOf, senderHref } from '../../records/sender-domain.ts'
import { AlignmentBadge } from '../../records/senders.tsx'
import { useTransportNames } from '../../records/transports.tsx'
import { alignmentWords } from '../../words/alignment.ts'
import { words } from '../../words/common.ts'
import { formatList } from '../../words/format.ts'
import { senderWords as text } from '../../words/senders.ts'
import { SenderViews } from './views.tsx'

type Sender = Schema<'ListedSender'>

const shownMax = 6

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
              <div class="matrix">
                <Table
                  caption={words.places.senders}
                  rows={senders}
                  columns={columns}
                  keyOf={({ domain }) => domain}
                />
              </div>
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

/** A row for each domain, and in it a cell for each transport that sends it: most have one or two of many. */
const columns: readonly Column<Sender>[] = [
  { label: text.domain, show: (sender) => <SenderName sender={sender} /> },
  { label: text.transports, show: (sender) => <Transports sender={sender} /> },
]

function SenderName({ sender }: { sender: Sender }) {
  const { domain, policy, sources, lastUsed, transports } = sender
  const isChecked = transports.some(({ dateChecked }) => dateChecked !== null)
  return (
    <div class="stack">
      <a class="matrix-name" href={senderHref(domain)}>
        <LongText text={domain} />
      </a>
      {isChecked && (
        <p>
          <Badge>{policy === null ? text.noPolicy : text.policyOf(policy)}</Badge>
        </p>
      )}
      <p class="quiet small">
        {text.usedBy(formatList(sources.map((source) => text.sources[source])))}{' '}
        {lastUsed === null ? (
          text.neverUsed
        ) : (
          <>
            {words.lastSent} <Time iso={lastUsed} />.
          </>
        )}
      </p>
    </div>
  )
}

function Transports({ sender: { domain, transports } }: { sender: Sender }) {
  if (transports.length === 0) return <p class="quiet">{text.noTransport}</p>
  const shown = transports.slice(0, shownMax)
  const others = transports.length - shown.length
  return (
    <ul class="matrix-cells">
      {shown.map(({ id, name, verdict, sentence, missing }) => (
        <li key={id}>
          <div class="row">
            <AlignmentBadge verdict={verdict} />
            {id === null ? name : <a href={`/transports/${id}`}>{name}</a>}
          </div>
          {(missing !== null || (verdict !== 'aligned' && verdict !== 'likely')) && (
            <p class="small quiet">{missing?.sentence ?? sentence}</p>
          )}
        </li>
      ))}
      {others > 0 && (
        <li>
          <a href={senderHref(domain)}>{text.more(others)}</a>
        </li>
      )}
    </ul>
  )
}
