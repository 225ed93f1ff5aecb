export { type DkimKeyResult, findDkimKey } from './dkim-key.ts'
export { areAligned, type DmarcResult, findDmarc } from './dmarc.ts'
export { Dns, type DnsCheck } from './dns.ts'
export { checkSpf, type SpfResult } from './spf.ts'
