export {
  type DkimKeyResult,
  type DkimPublicKey,
  findDkimKey,
  parseDkimKey,
} from './dkim-key.ts'
export {
  type AlignmentMode,
  areAligned,
  type DmarcPolicy,
  type DmarcResult,
  findDmarc,
} from './dmarc.ts'
export { Dns, type DnsAnswer, type DnsCheck, type DnsOptions, type Resolve } from './dns.ts'
export { asciiDomain, isDomainName } from './names.ts'
export type { RecordType } from './packets.ts'
export { checkSpf, findSpf, type SpfCheckResult, type SpfResult, type SpfSenders } from './spf.ts'
