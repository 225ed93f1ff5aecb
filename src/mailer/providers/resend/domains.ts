import { objectsOf, textOf } from '../../api/json.ts'
import type { ProviderDomains } from '../../domains/provider-domains.ts'
import {
  askAccount,
  type DomainAccess,
  type DomainApi,
  nameOf,
  readRecord,
  unknownState,
  unverifiedState,
  verifiedState,
} from '../domain-question.ts'
import { resendSetup } from './create-webhook.ts'

const { title } = resendSetup

/** Of 100 domains each. */
const pagesMax = 10

/**
 * Resend sends from the domains that are verified, and from no other one, also not from a subdomain.
 * @see https://resend.com/docs/api-reference/domains/get-domain
 */
const access: DomainAccess = {
  account: resendSetup,
  permission:
    'A key with "Sending access" may only send: use one with "Full access" (Resend, API Keys), or verify a received message.',
  async ask(api, domain) {
    const id = await findId(api, domain)
    if (id === undefined)
      return { state: 'missing', detail: `Resend does not have the domain ${domain}.` }
    if (id === 'many') return unknownState('Resend lists more domains than Mailyard reads.')
    const found = await api.get(`/domains/${encodeURIComponent(id)}`)
    const status = textOf(found['status'])
    const records = objectsOf(found['records']).flatMap((record) =>
      readResendRecord(record, domain),
    )
    if (status === 'verified')
      return verifiedState({
        title,
        records,
        returnPath: records.find(({ type }) => type === 'MX')?.name,
        detail: `Resend has verified ${domain}.`,
      })
    // What a part of it, or a fault of DNS, means for signatures is not documented.
    if (/^(partially|temporary)/.test(status))
      return unknownState(`The state of ${domain} at Resend is "${status}".`)
    return unverifiedState(`Resend has not verified ${domain}: its state is "${status}".`, records)
  },
}

async function findId(api: DomainApi, domain: string): Promise<string | 'many' | undefined> {
  let after = ''
  for (let page = 0; page < pagesMax; page += 1) {
    const { data, has_more: hasMore } = await api.get(`/domains?limit=100${after}`)
    const listed = objectsOf(data)
    const match = listed.find(({ name }) => nameOf(name) === domain)
    if (match !== undefined) return textOf(match['id'])
    if (hasMore !== true) return undefined
    after = `&after=${encodeURIComponent(textOf(listed.at(-1)?.['id']))}`
  }
  return 'many'
}

function readResendRecord(record: Readonly<Record<string, unknown>>, domain: string) {
  const { record: purpose, type, name, value, priority, status } = record
  // The MX of another purpose is for messages that are received.
  if (!['SPF', 'DKIM'].includes(textOf(purpose))) return []
  const preference = textOf(priority)
  return readRecord({
    type,
    name: wholeName(textOf(name), domain),
    value: preference === '' ? value : `${preference} ${textOf(value)}`,
    isFound: status === 'verified',
  })
}

/** Resend names a record without the zone: `send.news` for `news.example.com`. */
function wholeName(name: string, domain: string): string {
  const labels = domain.split('.')
  for (let count = labels.length - 1; count >= 0; count -= 1) {
    const whole = [name, ...labels.slice(count)].join('.')
    if (whole.endsWith(`.${domain}`)) return whole
  }
  return name
}

/** @see https://resend.com/docs/knowledge-base/403-error-domain-mismatch */
export const resendDomains: ProviderDomains = {
  selectors: [{ name: 'resend' }],
  isComplete: true,
  refusesOthers: true,
  spf: {
    includes: ['amazonses.com'],
    envelope: {
      type: 'custom',
      records: [
        { name: 'send', type: 'MX', target: /^feedback-smtp\.[a-z0-9-]+\.amazonses\.com$/i },
      ],
      isComplete: false,
    },
  },
  link: 'https://resend.com/docs/dashboard/domains/introduction',
  setUp: () => [],
  ask: (question) => askAccount(access, question),
}
