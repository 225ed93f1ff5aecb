import { HelpLink, PublishedBadge } from '../../design/feedback.tsx'
import { Card, Show } from '../../design/page.tsx'
import { ask, type Schema, withQuery } from '../../lib/api.ts'
import { ofBrand, whereBrand } from '../../lib/brand.ts'
import { can } from '../../lib/session.ts'
import { useAnswer } from '../../lib/use-data.ts'
import { nameInList } from '../../records/brands.tsx'
import type { Outcome } from '../../records/delivery-filters.ts'
import { readUsers } from '../../records/find.ts'
import { MauticState } from '../../records/mautic-state.tsx'
import { OutcomeBadge } from '../../records/outcome-badge.tsx'
import { Part } from '../../records/part.tsx'
import { midnight } from '../../records/periods.ts'
import { senderHref } from '../../records/sender-domain.ts'
import { SenderAlignments } from '../../records/senders.tsx'
import { UsageBars } from '../../records/usage-bars.tsx'
import { brandWords } from '../../words/brands.ts'
import { words } from '../../words/common.ts'
import { formatNumber } from '../../words/format.ts'

const { cards: text } = brandWords
type Brand = Schema<'Brand'>

/** What belongs to a brand, as far as the user may see it: each card leads to its list, limited to the brand. */
export function BrandCards({ brand }: { brand: Brand }) {
  const { id } = brand
  const own = { id, where: whereBrand(String(id)) }
  const viewsTransports = can('multipleTransports:view')
  return (
    <>
      {can('email:view') && <Today id={id} />}
      {viewsTransports && <Domains brand={brand} />}
      {viewsTransports && <Transports {...own} />}
      {viewsTransports && <Limits {...own} />}
      {can('api:view') && <Logins {...own} />}
      {can('user:view') && <People id={id} />}
    </>
  )
}

/** How the messages of today ended, since midnight in the zone of the reader. */
function Today({ id }: { id: number }) {
  const brand = String(id)
  return (
    <Part
      texts={{ title: text.today, all: text.all, none: text.nothing }}
      href={withQuery('/deliveries', { brand })}
      load={async (signal) => {
        const query = { by: 'outcome', from: midnight(0), step: '1h', ...ofBrand(brand) }
        const { series } = (await ask('GET', '/api/deliveries/stats', { query, signal })).body
        return series.filter(({ total }) => total > 0)
      }}
      show={({ key: outcome, total }) => ({
        href: withQuery('/deliveries', { brand, outcome }),
        name: <OutcomeBadge outcome={outcome as Outcome} />,
        end: formatNumber(total),
      })}
    />
  )
}

/** Whether receivers will believe the domains of a brand, each by the worst of its transports. */
function Domains({ brand: { id, domains } }: { brand: Brand }) {
  const names = [...new Set(domains.map((each) => each.slice(each.lastIndexOf('@') + 1)))].sort()
  const query = { limit: 1_000, ...ofBrand(String(id)) }
  const loaded = useAnswer('/api/senders', { query })
  return (
    <Card title={text.domains} tools={<HelpLink page="be-believed" />}>
      {names.length === 0 && <p class="quiet small">{text.noDomains}</p>}
      <Show loaded={loaded}>
        {({ senders }) => (
          <SenderAlignments
            rows={names.map((name) => {
              // The worst is the first.
              const [worst] = senders.find(({ domain }) => domain === name)?.transports ?? []
              return {
                name,
                href: senderHref(name),
                verdict: worst?.verdict ?? null,
                sentence: worst === undefined ? text.notSeen : worst.sentence,
              }
            })}
          />
        )}
      </Show>
    </Card>
  )
}

interface OfBrandProps {
  id: number
  /** Limits a list of records to the brand. */
  where: Record<string, string>
}

const limit = 1_000

function Transports({ id, where }: OfBrandProps) {
  return (
    <Part
      texts={{ title: words.places.transports, all: text.all, none: text.noTransports }}
      href={withQuery('/transports', { brand: id })}
      load={async (signal) => {
        const query = { ...where, limit, orderBy: 'name' }
        return (await ask('GET', '/api/multipleTransports', { query, signal })).body
      }}
      show={({ id: transport, name, isPublished }) => ({
        href: `/transports/${transport}`,
        name: nameInList(name, { brand: id }),
        end: <PublishedBadge isPublished={isPublished} />,
      })}
    />
  )
}

function Limits({ id, where }: OfBrandProps) {
  return (
    <Part
      texts={{ title: words.places.limits, all: text.all, none: text.noLimits }}
      href={withQuery('/limits', { brand: id })}
      load={async (signal) => {
        const query = { ...where, limit, orderBy: 'name', with: 'usage' }
        return (await ask('GET', '/api/limits', { query, signal })).body.limits
      }}
      show={({ id: limitId, name, usage }) => ({
        href: `/limits/${limitId}`,
        name: nameInList(name, { brand: id }),
        children: usage && <UsageBars usage={usage} isShort />,
      })}
    />
  )
}

function Logins({ id, where }: OfBrandProps) {
  return (
    <Part
      texts={{ title: text.logins, all: text.all, none: text.noLogins }}
      href={withQuery('/mautics', { brand: id })}
      load={async (signal) => {
        const options = { query: { ...where, limit, orderBy: 'name', with: 'status' }, signal }
        const [mautics, clients] = await Promise.all([
          ask('GET', '/api/mautics', options),
          ask('GET', '/api/oauthClients', { query: { ...where, limit }, signal }),
        ])
        return [
          ...mautics.body.mautics.map((mautic) => ({
            href: `/mautics/${mautic.id}`,
            name: mautic.name,
            end: <MauticState mautic={mautic} />,
          })),
          ...clients.body.oauthClients.map(({ id: client, name, isPublished }) => ({
            href: `/access/clients/${client}`,
            name,
            end: <PublishedBadge isPublished={isPublished} />,
          })),
        ]
      }}
      show={(login) => login}
    />
  )
}

function People({ id }: { id: number }) {
  return (
    <Part
      texts={{ title: text.people, all: text.all, none: text.noPeople }}
      href="/access/users"
      load={(signal) => readUsers(({ brands }) => brands.includes(id), signal)}
      show={({ id: user, username, role }) => ({
        href: `/access/users/${user}`,
        name: username,
        end: role?.name,
      })}
    />
  )
}
