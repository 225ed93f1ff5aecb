import { execFile } from 'node:child_process'
import type { TrustedNetwork } from '../../config/index.ts'
import { type Finding, good } from './finding.ts'

/** Tells the route to an address, as `ip route get` prints it; undefined where that cannot be found out. */
export type RouteTo = (address: string) => Promise<string | undefined>

const check = 'quick acknowledgement'

/**
 * Whether Linux acknowledges at once what applications send here. PHP writes a message in pieces, and waits
 * for each to be acknowledged; a kernel that delays that by 40 ms holds such a sender to some 20 messages a second.
 * Node cannot ask for it on a socket, but a route can. Slow is not broken: the finding is good either way.
 */
export async function examineQuickAck(
  networks: readonly TrustedNetwork[],
  routeTo: RouteTo = askIp,
): Promise<Finding[]> {
  const others = networks.map(({ network }) => network.replace(/\/.*$/, ''))
  const addresses = [...new Set(['127.0.0.1', ...others])]
  const slow: string[] = []
  for (const address of addresses) {
    const route = await routeTo(address)
    if (route === undefined) return []
    if (!/\bquickack 1\b/.test(route)) slow.push(address)
  }
  if (slow.length === 0) return [good(check, `on the way to ${addresses.join(', ')}`)]
  const detail = `not on the way to ${slow.join(', ')}: a Mautic there hands in some 20 messages a second on a connection, and more than ten times as many with it`
  return [{ check, isOk: true, detail, fix: fixFor(slow) }]
}

function fixFor(slow: readonly string[]): string {
  const local =
    'ip route change local 127.0.0.1 dev lo table local proto kernel scope host src 127.0.0.1 quickack 1'
  const other = 'append "quickack 1" to the route'
  const what = slow.includes('127.0.0.1') ? local : other
  return `If such a sender is there: ${what} (docs/mautic.md, "Speed").`
}

const timeoutMs = 2_000

function askIp(address: string): Promise<string | undefined> {
  if (process.platform !== 'linux') return Promise.resolve(undefined)
  return new Promise((resolve) => {
    execFile('ip', ['route', 'get', address], { timeout: timeoutMs }, (error, output) => {
      resolve(error === null ? output : undefined)
    })
  })
}
