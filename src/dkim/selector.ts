/** @see RFC 6376, section 3.1: as the labels of a domain. */
const label = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/
/** A domain name has at most 253 characters. */
const nameMax = 253

/** Returns what is wrong with a selector in lower case, as a fault of its field; undefined for nothing. */
export function findSelectorFault(selector: string, domain: string): string | undefined {
  if (!selector.split('.').every((part) => label.test(part)))
    return 'must have letters, digits and hyphens, in parts of at most 63 characters with dots between them'
  if (`${selector}._domainkey.${domain}`.length > nameMax)
    return `is too long: with _domainkey.${domain} it has more than ${nameMax} characters`
  return undefined
}

/** Returns a selector for a key of this month that is not in use: `mailyard-202601`, `mailyard-202601b`, … */
export function chooseSelector(now: number, usedSelectors: readonly string[]): string {
  const month = new Date(now).toISOString().slice(0, 7).replace('-', '')
  const first = `mailyard-${month}`
  for (let number = 1; ; number += 1) {
    const selector = number === 1 ? first : `${first}${suffixOf(number)}`
    if (!usedSelectors.includes(selector)) return selector
  }
}

/** `b` for 2, `z` for 26, and then `27`. */
function suffixOf(number: number): string {
  return number <= 26 ? String.fromCharCode(96 + number) : `-${number}`
}
