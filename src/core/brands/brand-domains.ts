import { emailKey } from '../../kit/normalize-for-search.ts'
import { oneLine } from '../../kit/one-line.ts'
import { asciiDomain, isMailAddress } from '../../libraries/mailer/index.ts'

/** Returns an address as it is compared: its local part as in `emailKey`, its domain in ASCII; undefined if that is none. */
export function senderKey(address: string): string | undefined {
  const key = emailKey(address)
  // In lower case, a domain that is not ASCII may become another one.
  const domain = asciiDomain(address.slice(address.lastIndexOf('@') + 1))
  const local = key.slice(0, Math.max(key.lastIndexOf('@'), 0))
  return local === '' || domain === undefined ? undefined : `${local}@${domain}`
}

export const domainsMax = 1_000

/** Reads the From domains and addresses of a brand. @returns Each once, as they are compared; and what is wrong with them. */
export function readDomains(entries: readonly string[]): { domains: string[]; faults: string[] } {
  if (entries.length > domainsMax) return { domains: [], faults: ['must have at most 1,000 items'] }
  const domains = entries.map((entry) => readDomain(entry.trim()))
  const wrong = entries.filter((_, index) => domains[index] === undefined)
  const shown = oneLine(wrong.slice(0, 5).join(', '), 200)
  return {
    domains: [...new Set(domains.filter((domain) => domain !== undefined))],
    faults:
      wrong.length === 0
        ? []
        : [
            `must be domains, each subdomain too, or addresses, such as shop.example, mail.shop.example or news@shop.example; wrong: ${shown}`,
          ],
  }
}

function readDomain(entry: string): string | undefined {
  if (!entry.includes('@')) return asciiDomain(entry)
  return isMailAddress(entry) ? senderKey(entry) : undefined
}
