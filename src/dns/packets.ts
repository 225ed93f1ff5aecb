import { randomInt } from 'node:crypto'
import { type Answer, type DecodedPacket, decode, encode, RECURSION_DESIRED } from 'dns-packet'

/** The types of records that are looked up. */
export type RecordType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'MX' | 'PTR'

/** What is asked. */
export interface Question {
  /** In ASCII. */
  name: string
  type: RecordType
}

/** A query as it is sent. */
export interface Query {
  id: number
  question: Question
  bytes: Buffer
}

/** A record of an answer, with the time that it may be kept, in seconds. */
export interface DnsRecord {
  name: string
  type: string
  ttl: number
  value: string
}

/** A response to a query. */
export interface DnsResponse {
  /** `NOERROR`, `NXDOMAIN`, `SERVFAIL` and others. */
  code: string
  isTruncated: boolean
  records: readonly DnsRecord[]
  /** How long an absence may be kept, in seconds; 0 where the server does not say (RFC 2308). */
  absenceTtl: number
  /** Whether the server names other servers instead of answering: it does not look names up for others. */
  isReferral: boolean
}

/** The size of answers that pass each network unfragmented. @see https://www.dnsflagday.net/2020/ */
const udpBytesMax = 1_232

/** More records than any sender has. Each may have names of many steps, so that reading more would take long. */
const recordsMax = 250

/** Pointers that lead to pointers (RFC 1035, section 4.1.4): no encoder makes them, and a chain of them is read for each record. */
const chainedPointersMax = 200

const headerBytes = 12
const pointerByte = 0xc0

/** Encodes a query with a random id. `hasEdns` asks for answers of more than 512 bytes over UDP (RFC 6891). */
export function encodeQuery(question: Question, { hasEdns }: { hasEdns: boolean }): Query {
  const id = randomInt(0x1_00_00)
  const options: Answer = {
    type: 'OPT',
    name: '.',
    udpPayloadSize: udpBytesMax,
    extendedRcode: 0,
    ednsVersion: 0,
    flags: 0,
    flag_do: false,
    options: [],
  }
  const bytes = encode({
    type: 'query',
    id,
    flags: RECURSION_DESIRED,
    questions: [{ name: question.name, type: question.type }],
    additionals: hasEdns ? [options] : [],
  })
  return { id, question, bytes }
}

/** Whether a packet may be the response to a query, so that reading it is worth the time. */
function mayAnswer(bytes: Buffer, { id }: Query): boolean {
  if (bytes.length < headerBytes || bytes.readUInt16BE(0) !== id) return false
  const counts = [6, 8, 10].map((offset) => bytes.readUInt16BE(offset))
  const records = counts.reduce((sum, count) => sum + count, 0)
  return bytes.readUInt16BE(4) <= 1 && records <= recordsMax && !hasChains(bytes)
}

/** Other bytes may look like pointers, so that some are allowed. */
function hasChains(bytes: Buffer): boolean {
  let chained = 0
  for (let index = headerBytes; index < bytes.length - 1; index += 1) {
    if ((bytes[index] ?? 0) < pointerByte) continue
    const target = bytes.readUInt16BE(index) & 0x3f_ff
    if (target < index && (bytes[target] ?? 0) >= pointerByte) chained += 1
  }
  return chained > chainedPointersMax
}

/** Reads the response to a query. Returns undefined where the packet is something else, or cannot be read. */
export function readResponse(bytes: Buffer, query: Query): DnsResponse | undefined {
  if (!mayAnswer(bytes, query)) return undefined
  try {
    const packet = decode(bytes)
    return isResponseTo(packet, query.question) ? describeResponse(packet) : undefined
  } catch {
    // A truncated answer may end inside a record.
    return isTruncatedHeader(bytes) ? truncatedResponse : undefined
  }
}

const truncatedResponse: DnsResponse = {
  code: 'NOERROR',
  isTruncated: true,
  records: [],
  absenceTtl: 0,
  isReferral: false,
}

function isTruncatedHeader(bytes: Buffer): boolean {
  const flags = bytes.readUInt16BE(2)
  return (flags & 0x80_00) !== 0 && (flags & 0x02_00) !== 0
}

function isResponseTo(packet: DecodedPacket, question: Question): boolean {
  if (packet.type !== 'response' || packet.questions?.length !== 1) return false
  const [asked] = packet.questions
  return (
    asked !== undefined &&
    asked.name.toLowerCase() === question.name.toLowerCase() &&
    asked.type === question.type &&
    asked.class === 'IN'
  )
}

function describeResponse(packet: DecodedPacket): DnsResponse {
  const { answers = [], authorities = [] } = packet
  return {
    code: (packet as DecodedPacket & { rcode: string }).rcode,
    isTruncated: packet.flag_tc,
    records: sortByPreference(answers).flatMap((answer) => readRecord(answer) ?? []),
    absenceTtl: Math.max(0, ...authorities.map(absenceTtl)),
    isReferral:
      answers.length === 0 &&
      authorities.some(({ type }) => type === 'NS') &&
      !authorities.some(({ type }) => type === 'SOA'),
  }
}

function sortByPreference(answers: readonly Answer[]): Answer[] {
  const preference = (answer: Answer) => (answer.type === 'MX' ? (answer.data.preference ?? 0) : 0)
  return answers.toSorted((one, other) => preference(one) - preference(other))
}

function readRecord(answer: Answer): DnsRecord | undefined {
  if (answer.type === 'OPT' || answer.class !== 'IN') return undefined
  const value = readValue(answer)
  if (value === undefined) return undefined
  return { name: answer.name.toLowerCase(), type: answer.type, ttl: readTtl(answer.ttl), value }
}

function readValue(answer: Answer): string | undefined {
  switch (answer.type) {
    case 'TXT':
      return printable(Buffer.concat(answer.data as Buffer[]).toString('utf8'))
    case 'A':
    case 'AAAA':
      return answer.data
    case 'CNAME':
    case 'PTR':
      return printable(answer.data.toLowerCase())
    case 'MX':
      return printable(answer.data.exchange.toLowerCase())
    default:
      return undefined
  }
}

/** Replaces control characters, which no record has and which databases refuse. Tabs and line ends stay. */
function printable(text: string): string {
  return text.replace(/(?![\t\r\n])\p{Cc}/gu, '\uFFFD')
}

function absenceTtl(answer: Answer): number {
  if (answer.type !== 'SOA') return 0
  return Math.min(readTtl(answer.ttl), readTtl(answer.data.minimum))
}

/** A time of more than 31 bits counts as 0 (RFC 2181, section 8). */
function readTtl(ttl = 0): number {
  return ttl > 0x7f_ff_ff_ff ? 0 : ttl
}
