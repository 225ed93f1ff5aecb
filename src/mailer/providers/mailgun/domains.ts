import { isObject, objectsOf, textOf } from '../../api/json.ts'
import type { ProviderDomains } from '../../domains/provider-domains.ts'
import { isApiDsn } from '../account-api.ts'
import {
  askAccount,
  type DomainAccess,
  isDkimRecord,
  readRecord,
  unverifiedState,
  verifiedState,
} from '../domain-question.ts'
import { mailgunSetup } from './create-webhook.ts'
import { domainOf } from './messages-mime.ts'

const { title } = mailgunSetup

/**
 * Mailgun signs for the domain of the DSN, or for its parent domain if that is its DKIM authority, whatever the From
 * domain is.
 * @see https://documentation.mailgun.com/docs/mailgun/api-reference/send/mailgun/domains/get-v4-domains--name-
 */
const access: DomainAccess = {
  account: mailgunSetup,
  permission:
    'A sending key of a domain may only send: use an API key of the account with the role "Admin", "Developer" or "Support" (Mailgun, API security), or verify a received message. Check the region of the DSN, too.',
  refuse: (dsn) =>
    isApiDsn(dsn)
      ? undefined
      : "The DSN has an SMTP log-in, which Mailgun's API does not accept. Use a transport with mailgun+api:// and an API key, or verify a received message.",
  async ask(api, _, dsn) {
    const domain = domainOf(dsn)
    const isMissing = ({ message }: Readonly<Record<string, unknown>>) =>
      /domain not found/i.test(textOf(message))
    const found = await api.find(`/v4/domains/${domain}`, isMissing)
    if (found === undefined)
      return {
        state: 'missing',
        detail: `Mailgun does not have the domain ${domain} in this account and region.`,
      }
    const settings = isObject(found['domain']) ? found['domain'] : {}
    // Of several keys, one signs.
    const active = objectsOf(found['sending_dns_records']).filter(
      ({ is_active: isActive }) => isActive !== false,
    )
    const records = active.flatMap(({ record_type: type, name, value, valid }) =>
      readRecord({ type, name, value, isFound: valid === 'valid' }),
    )
    const keys = records.filter(isDkimRecord)
    const isSigned = keys.length > 0 && keys.every(({ isFound }) => isFound)
    const isEnabled = settings['state'] === 'active' && settings['is_disabled'] !== true
    if (!isEnabled)
      return unverifiedState(`The domain ${domain} is not active at Mailgun.`, records)
    const spf = records.find(({ type, name, value }) => isSpf(type, value) && name === domain)
    const returnPath = spf?.isFound === true ? domain : undefined
    if (!isSigned)
      return unverifiedState(
        `Mailgun has not found the DKIM record of ${domain}.`,
        records,
        returnPath,
      )
    return verifiedState({
      title,
      records,
      returnPath,
      detail: `Mailgun has verified ${domain}, the domain of the DSN.`,
    })
  },
}

function isSpf(type: string, value: string): boolean {
  return type === 'TXT' && /^v=spf1\b/i.test(value)
}

/**
 * The selector can be chosen. Unless the domain is verified, Mailgun sends on behalf of a domain of its own.
 * @see https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify
 */
export const mailgunDomains: ProviderDomains = {
  selectors: ['smtp', 'mx', 'k1', 'pic', 'mailo', 'krs', 'email'].map((name) => ({ name })),
  isComplete: false,
  refusesOthers: false,
  spf: {
    includes: ['mailgun.org'],
    envelope: { type: 'custom', records: [], isComplete: false },
  },
  link: 'https://documentation.mailgun.com/docs/mailgun/user-manual/domains/domains-verify',
  setUp: () => [],
  ask: (question) => askAccount(access, question),
}
