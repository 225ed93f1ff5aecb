export { Dns, type DnsAnswer, type DnsCheck, type DnsOptions, type Resolve } from './dns.ts'
export { asciiDomain, isDomainName } from './names.ts'
export type { RecordType } from './packets.ts'
