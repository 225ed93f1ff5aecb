import { isObject, objectsOf } from '../../api/json.ts'
import type {
  DomainRecord,
  ProviderDomainState,
  ProviderDomains,
} from '../../domains/provider-domains.ts'
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
import { sendgridSetup } from './create-webhook.ts'

const { title } = sendgridSetup
const path = '/v3/whitelabel/domains'

/** From domains have few parents that can be asked about. */
const parentsMax = 3

type Entry = Readonly<Record<string, unknown>>

/**
 * SendGrid signs for the authenticated domain that matches the From domain, else for the default one.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/domain-authentication/list-all-authenticated-domains
 */
const access: DomainAccess = {
  account: sendgridSetup,
  permission:
    'Give the API key read access to "Sender Authentication" (the scope whitelabel.read; SendGrid, Settings, API Keys), or verify a received message.',
  async ask(api, domain) {
    const own = await list(api, domain)
    if (own.length > 0) return stateOf(own, domain)
    for (const parent of parentsOf(domain)) {
      const entries = await list(api, parent)
      if (entries.some(isValid))
        return unknownState(
          `SendGrid has authenticated ${parent}, and not ${domain}. Its documents do not say whether it signs messages from ${domain}. Authenticate ${domain}, or verify a received message.`,
        )
    }
    const fallback = await findDefault(api)
    if (fallback !== undefined) {
      const records = recordsOf(fallback)
      const name = nameOf(fallback['domain']) ?? ''
      return verifiedState({
        title,
        records,
        returnPath: returnPathOf(fallback),
        detail: `SendGrid has not authenticated ${domain}, and signs for its default domain ${name}.`,
      })
    }
    const { items } = await api.get(`${path}?exclude_subusers=true&limit=1`)
    // A subuser does not see the domains that its parent account assigned.
    if (objectsOf(items).length === 0)
      return unknownState(
        'SendGrid lists no authenticated domain. The key of a subuser does not see the domains that the parent account assigned to it: verify a received message.',
      )
    return { state: 'missing', detail: `SendGrid has not authenticated ${domain}.` }
  },
}

/** Lists the authentications of exactly this domain that the key's own user has. */
async function list(api: DomainApi, domain: string): Promise<Entry[]> {
  const query = `exclude_subusers=true&limit=50&domain=${encodeURIComponent(domain)}`
  const { items } = await api.get(`${path}?${query}`)
  return objectsOf(items).filter((entry) => nameOf(entry['domain']) === domain)
}

/** Finds the domain that signs where none matches. */
async function findDefault(api: DomainApi): Promise<Entry | undefined> {
  const found = await api.find(`${path}/default`, ({ errors }) => Array.isArray(errors))
  return found !== undefined && isValid(found) ? found : undefined
}

function stateOf(entries: readonly Entry[], domain: string): ProviderDomainState {
  const valid = entries.filter(isValid)
  const chosen = valid.find((entry) => entry['default'] === true) ?? valid[0]
  if (chosen === undefined)
    return unverifiedState(
      `SendGrid has not validated the records of ${domain}.`,
      entries.flatMap(recordsOf),
    )
  return verifiedState({
    title,
    // Which of several signs is not documented: each of them can.
    records: valid.flatMap(recordsOf),
    returnPath: valid.length === 1 ? returnPathOf(chosen) : undefined,
    detail: `SendGrid has authenticated ${domain}.`,
  })
}

function isValid({ valid }: Entry): boolean {
  return valid === true
}

function recordsOf({ dns }: Entry): DomainRecord[] {
  if (!isObject(dns)) return []
  return Object.values(dns).flatMap((record) => {
    if (!isObject(record)) return []
    const { type, host, data, valid } = record
    return readRecord({ type, name: host, value: data, isFound: valid })
  })
}

function returnPathOf({ subdomain, domain }: Entry): string | undefined {
  return typeof subdomain === 'string' ? nameOf(`${subdomain}.${nameOf(domain) ?? ''}`) : undefined
}

/** Returns the parent domains, without the top one. */
function parentsOf(domain: string): string[] {
  const labels = domain.split('.')
  return labels
    .slice(1, -1)
    .map((_, index) => labels.slice(index + 1).join('.'))
    .slice(0, parentsMax)
}

/**
 * An account may have other selectors of three characters. It sends from a verified single sender of any domain, too,
 * without a signature of that domain.
 * @see https://www.twilio.com/docs/sendgrid/api-reference/domain-authentication/authenticate-a-domain
 */
export const sendgridDomains: ProviderDomains = {
  selectors: ['s1', 's2'].map((name) => ({
    name,
    target: new RegExp(`^${name}\\.(_?domainkey)\\.u\\d+\\.wl\\d*\\.(eu\\.)?sendgrid\\.net$`, 'i'),
  })),
  isComplete: false,
  refusesOthers: false,
  spf: {
    includes: ['sendgrid.net'],
    envelope: { type: 'custom', records: [], isComplete: false },
  },
  link: 'https://www.twilio.com/docs/sendgrid/ui/account-and-settings/how-to-set-up-domain-authentication',
  setUp: () => [],
  ask: (question) => askAccount(access, question),
}
