import { isObject, textOf } from '../../api/json.ts'
import type { DomainRecord, ProviderDomains } from '../../domains/provider-domains.ts'
import { isApiDsn } from '../account-api.ts'
import {
  askAccount,
  type DomainAccess,
  isDkimRecord,
  readRecord,
  unverifiedState,
  verifiedState,
} from '../domain-question.ts'
import { brevoSetup } from './create-webhook.ts'

const { title } = brevoSetup

/**
 * Brevo signs for a domain that is authenticated. Without that it replaces the domain in From.
 * @see https://developers.brevo.com/reference/get-domain-configuration
 */
const access: DomainAccess = {
  account: brevoSetup,
  permission: brevoSetup.permission,
  refuse: (dsn) =>
    isApiDsn(dsn)
      ? undefined
      : "The DSN has an SMTP log-in, which Brevo's API does not accept. Use a transport with brevo+api:// and an API key, or verify a received message.",
  async ask(api, domain) {
    const isMissing = ({ code }: Readonly<Record<string, unknown>>) => code === 'document_not_found'
    const found = await api.find(`/v3/senders/domains/${domain}`, isMissing)
    if (found === undefined)
      return { state: 'missing', detail: `Brevo does not have the domain ${domain}.` }
    const records = recordsOf(found['dns_records'], domain)
    const missing = records.filter((record) => isDkimRecord(record) && record.isFound === false)
    if (found['authenticated'] === true && missing.length === 0)
      return verifiedState({ title, records, detail: `Brevo has authenticated ${domain}.` })
    return unverifiedState(`Brevo has not authenticated ${domain}.`, records)
  },
}

function recordsOf(records: unknown, domain: string): DomainRecord[] {
  if (!isObject(records)) return []
  return Object.values(records).flatMap((record) => {
    if (!isObject(record)) return []
    const { type, host_name: host, value, status } = record
    return readRecord({ type, name: wholeName(textOf(host), domain), value, isFound: status })
  })
}

/** Brevo names a record without the domain: `mail._domainkey.`, or `@` for the domain itself. */
function wholeName(host: string, domain: string): string {
  const name = host.replace(/\.$/, '')
  if (name === '' || name === '@' || name === domain) return domain
  return name.endsWith(`.${domain}`) ? name : `${name}.${domain}`
}

/**
 * The key of older set-ups is at `mail`. The envelope sender is one of Brevo, unless the account has an IP address.
 * @see https://developers.brevo.com/docs/domain-authentication-and-verification
 */
export const brevoDomains: ProviderDomains = {
  selectors: [
    { name: 'brevo1', target: /^b1\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
    { name: 'brevo2', target: /^b2\.[a-z0-9-]+\.dkim\.brevo\.com$/i },
    { name: 'mail' },
  ],
  isComplete: true,
  refusesOthers: false,
  spf: {
    includes: ['spf.brevo.com', 'spf.sendinblue.com'],
    envelope: { type: 'custom', records: [], isComplete: false },
  },
  link: 'https://developers.brevo.com/docs/domain-authentication-and-verification',
  setUp: () => [],
  ask: (question) => askAccount(access, question),
}
