import { after } from 'node:test'
import { Dns } from '../src/libraries/dns/index.ts'
import { dnsZones } from './dns-domains.ts'
import { type DnsServer, type DnsZones, startDnsServer } from './dns-server.ts'

/** Starts a DNS server, and opens what looks records up there. Both are closed after the tests of the file. */
export async function openDns(
  zones: DnsZones = dnsZones,
): Promise<{ server: DnsServer; dns: Dns }> {
  const server = await startDnsServer(zones)
  const dns = new Dns({
    servers: [server.address],
    timeouts: { lookUpMs: 2_000, checkMs: 10_000 },
  })
  after(async () => {
    dns.close()
    await server.close()
  })
  return { server, dns }
}
