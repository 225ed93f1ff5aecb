import { isIPv6 } from 'node:net'
import { domainToASCII } from 'node:url'
import { nameOf } from './character.ts'
import { DsnError } from './dsn-error.ts'
import { percentOf } from './percent.ts'

/** RFC 1035, section 2.3.4. */
const hostLengthMax = 253
const plainHost = /^[A-Za-z0-9._-]+$/
const asciiOutsideHost = /[^A-Za-z0-9._\-\u0080-\uffff]/

/**
 * Refuses a host that cannot be one. Symfony takes any byte here, so a comma between two members of
 * a list becomes part of a name, and the mail waits for a server that does not exist.
 */
export function checkHost(host: string): void {
  if (host.length > hostLengthMax)
    throw invalid(
      `The host has ${host.length} characters, and no host name has more than ${hostLengthMax}.`,
    )
  if (plainHost.test(host)) return
  if (host.includes(','))
    throw invalid(
      'The host contains "," (%2C); the members of a list are separated by one blank, not by a comma.',
    )
  if (host.startsWith('[')) {
    if (host.endsWith(']') && isIPv6(host.slice(1, -1))) return
    throw invalid('The host is not an IPv6 address; write it like [2001:db8::1].')
  }
  const found = asciiOutsideHost.exec(host)?.[0]
  if (found === undefined) {
    if (domainToASCII(host) !== '') return
    throw invalid('The host is not a name that can be looked up.')
  }
  if (found === ':' && isIPv6(host))
    throw invalid('Write an IPv6 address in brackets, like [2001:db8::1].')
  if (found === '%')
    throw invalid(
      'The host contains "%" (%25), and a host is never percent-encoded; write it plain.',
    )
  throw invalid(`The host contains ${nameOf(found)} (${percentOf(found)}), which no host name has.`)
}

function invalid(message: string): DsnError {
  return new DsnError('invalid_host', message)
}
