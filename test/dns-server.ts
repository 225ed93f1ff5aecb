import { randomBytes } from 'node:crypto'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket as TcpSocket } from 'node:net'
import {
  type Answer,
  AUTHORITATIVE_ANSWER,
  type DecodedPacket,
  decode,
  encode,
  type Packet,
  RECURSION_AVAILABLE,
  TRUNCATED_RESPONSE,
} from 'dns-packet'

/** The types of records that the server has. */
export type DnsRecordType = 'TXT' | 'CNAME' | 'A' | 'AAAA' | 'MX' | 'PTR'

/** What the server does for a name, in place of a right answer. */
export type DnsBehavior =
  /** Does not answer. */
  | 'silent'
  /** Does not answer over TCP, and truncates over UDP. */
  | 'silentTcp'
  | 'servfail'
  | 'refused'
  /** Truncates over UDP; the answer over TCP is whole. */
  | 'truncated'
  /** Answers random bytes, with the right id. */
  | 'garbage'
  /** Answers packets with another id before the right one. */
  | 'forged'
  /** Answers the question for another name. */
  | 'otherQuestion'
  /** Answers after `slowMs`. */
  | 'slow'
  /** Answers with an alias of another name, which is an alias of this one. */
  | 'loop'
  /** Does not know EDNS. */
  | 'old'
  /** Closes TCP connections in the middle of the answer. */
  | 'closing'

/** The records of a name, by their type, and what the server does in place of an answer. */
export type DnsZones = Readonly<
  Record<string, Partial<Record<DnsRecordType, readonly string[]>> & { behavior?: DnsBehavior }>
>

interface Entry {
  records: Map<DnsRecordType, { values: readonly string[]; ttl: number }>
  behavior: DnsBehavior | undefined
}

const defaultTtl = 300
/** How long the absence of a record may be kept, in seconds. */
const absenceTtl = 60
const slowMs = 300
const ednsBytesMax = 512

/** What the server sends back. */
interface Reply {
  packets: readonly Buffer[]
  isSlow?: boolean
  /** Whether a TCP connection is closed in the middle of the answer. */
  isCut?: boolean
}

/** A DNS server on loopback. It answers as a resolver does: aliases are followed. */
export class DnsServer {
  /** Such as `127.0.0.1:40123`, as `MAILYARD_DNS_SERVERS` takes it. */
  readonly address: string
  /** Each question that it received, such as `TXT _dmarc.example.com`; `tcp` before those over TCP. */
  readonly queries: string[] = []
  readonly close: () => Promise<void>
  readonly #entries = new Map<string, Entry>()

  /** @internal Use {@link startDnsServer}. */
  constructor(address: string, close: () => Promise<void>) {
    this.address = address
    this.close = close
  }

  /** Sets the records of a name; an empty list removes them. A TXT record may be longer than 255 bytes. */
  set(name: string, type: DnsRecordType, values: readonly string[], ttl = defaultTtl): void {
    const { records } = this.#entry(name)
    if (values.length === 0) records.delete(type)
    else records.set(type, { values, ttl })
  }

  /** Sets what the server does for a name; undefined answers again. */
  behave(name: string, behavior: DnsBehavior | undefined): void {
    this.#entry(name).behavior = behavior
  }

  /** Adds the records of zones. */
  add(zones: DnsZones): void {
    for (const [name, { behavior, ...records }] of Object.entries(zones)) {
      for (const [type, values] of Object.entries(records)) {
        this.set(name, type as DnsRecordType, values)
      }
      if (behavior !== undefined) this.behave(name, behavior)
    }
  }

  /** @internal Answers a packet. */
  answer(bytes: Buffer, { isTcp }: { isTcp: boolean }): Reply {
    const query = decode(bytes)
    const [question] = query.questions ?? []
    if (question === undefined) return { packets: [] }
    this.queries.push(`${isTcp ? 'tcp ' : ''}${question.type} ${question.name}`)
    const behavior = this.#entries.get(question.name.toLowerCase())?.behavior
    const packets = this.#findPackets(query, { isTcp, behavior })
    return { packets, isSlow: behavior === 'slow', isCut: behavior === 'closing' }
  }

  #findPackets(
    query: DecodedPacket,
    { isTcp, behavior }: { isTcp: boolean; behavior: DnsBehavior | undefined },
  ): Buffer[] {
    const right = this.#encode(query, { isTcp })
    const truncated = encode(respond(query, { flags: TRUNCATED_RESPONSE }))
    const hasEdns = query.additionals?.some(({ type }) => type === 'OPT') ?? false
    const id = query.id ?? 0
    switch (behavior) {
      case 'silent':
        return []
      case 'servfail':
        return [encode(respond(query, { code: 2 }))]
      case 'refused':
        return [encode(respond(query, { code: 5 }))]
      case 'garbage':
        return [Buffer.concat([right.subarray(0, 2), randomBytes(60)])]
      case 'forged':
        return [encode({ ...respond(query, {}), id: id ^ 1 }), right]
      case 'otherQuestion':
        return [encode(respond(query, { name: 'other.example' }))]
      case 'old':
        return [hasEdns ? encode(respond(query, { code: 1 })) : right]
      case 'silentTcp':
        return isTcp ? [] : [truncated]
      case 'truncated':
      case 'closing':
        return [isTcp ? right : truncated]
      default:
        return [right]
    }
  }

  #entry(name: string): Entry {
    const key = name.toLowerCase()
    const entry: Entry = this.#entries.get(key) ?? { records: new Map(), behavior: undefined }
    this.#entries.set(key, entry)
    return entry
  }

  #encode(query: DecodedPacket, { isTcp }: { isTcp: boolean }): Buffer {
    const [question] = query.questions ?? []
    const name = question?.name.toLowerCase() ?? ''
    const type = question?.type as DnsRecordType
    const { answers, end } = this.#findAnswers(name, type)
    const isMissing = !this.#exists(end)
    const authorities = answers.some((answer) => answer.type === type) ? [] : [soaOf(end)]
    const packet = respond(query, { code: isMissing ? 3 : 0, answers, authorities })
    const bytes = encode(packet)
    const options = query.additionals?.find((additional) => additional.type === 'OPT')
    const sizeMax = options?.type === 'OPT' ? options.udpPayloadSize : ednsBytesMax
    if (isTcp || bytes.length <= sizeMax) return bytes
    return encode(respond(query, { flags: TRUNCATED_RESPONSE }))
  }

  #findAnswers(name: string, type: DnsRecordType): { answers: Answer[]; end: string } {
    const answers: Answer[] = []
    let current = name
    // A resolver stops at some length of a chain, and in a circle.
    for (let step = 0; step < 12; step += 1) {
      const entry = this.#entries.get(current)
      const records = entry?.records.get(type)
      if (records !== undefined) {
        const { values, ttl } = records
        const found = values.map((value, index) =>
          encodeRecord({ name: current, type, ttl }, value, index),
        )
        return { answers: [...answers, ...found], end: current }
      }
      const other = `other.${current}`
      const loop = entry?.behavior === 'loop' ? { values: [other], ttl: defaultTtl } : undefined
      const isOther = this.#entries.get(current.replace(/^other\./, ''))?.behavior === 'loop'
      const back = { values: [current.replace(/^other\./, '')], ttl: defaultTtl }
      const alias = loop ?? (isOther ? back : entry?.records.get('CNAME'))
      const [target] = alias?.values ?? []
      if (alias === undefined || target === undefined) break
      answers.push({ type: 'CNAME', name: current, ttl: alias.ttl, data: target })
      current = target.toLowerCase()
    }
    return { answers, end: current }
  }

  /** A name exists that has records, or below which others have. */
  #exists(name: string): boolean {
    for (const [key, { records, behavior }] of this.#entries) {
      const isBelow = key === name || key.endsWith(`.${name}`)
      if (isBelow && (records.size > 0 || behavior !== undefined)) return true
    }
    return false
  }
}

/** Starts a DNS server on a free port of 127.0.0.1, or of another address. */
export async function startDnsServer(zones: DnsZones = {}, host = '127.0.0.1'): Promise<DnsServer> {
  const { udp, tcp, port } = await openPort(host)
  const sockets = new Set<TcpSocket>()
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
  const server = new DnsServer(address, async () => {
    for (const socket of sockets) socket.destroy()
    udp.close()
    tcp.close()
    await Promise.all([once(udp, 'close'), once(tcp, 'close')])
  })
  udp.on('message', (bytes, { port, address }) => {
    const { packets, isSlow = false } = server.answer(bytes, { isTcp: false })
    const send = () => {
      for (const packet of packets) udp.send(packet, port, address, () => undefined)
    }
    if (isSlow) setTimeout(send, slowMs)
    else send()
  })
  tcp.on('connection', (socket) => {
    sockets.add(socket)
    let received = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    socket.on('data', (piece) => {
      received = Buffer.concat([received, piece])
      // A client may send several queries before the first answer.
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0)
        const { packets, isCut = false } = server.answer(received.subarray(2, end), { isTcp: true })
        received = received.subarray(end)
        for (const packet of packets) {
          const length = Buffer.alloc(2)
          length.writeUInt16BE(packet.length)
          socket.write(Buffer.concat([length, isCut ? packet.subarray(0, 20) : packet]))
        }
        if (isCut) socket.end()
      }
    })
  })
  server.add(zones)
  return server
}

/** Opens the same free port for UDP and TCP. */
async function openPort(host: string) {
  for (;;) {
    const tcp = createServer()
    tcp.listen(0, host)
    await once(tcp, 'listening')
    const { port } = tcp.address() as AddressInfo
    const udp = createSocket(host.includes(':') ? 'udp6' : 'udp4')
    if (await canBind(udp, { port, address: host })) return { udp, tcp, port }
    tcp.close()
  }
}

function canBind(udp: Socket, at: { port: number; address: string }): Promise<boolean> {
  return new Promise((resolve) => {
    udp.once('error', () => resolve(false))
    udp.bind(at, () => resolve(true))
  })
}

function respond(
  query: DecodedPacket,
  {
    code = 0,
    flags = 0,
    name,
    answers = [],
    authorities = [],
  }: { code?: number; flags?: number; name?: string; answers?: Answer[]; authorities?: Answer[] },
): Packet {
  const [question] = query.questions ?? []
  if (question === undefined) throw new Error('A query has a question.')
  return {
    type: 'response',
    id: query.id,
    flags: AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE | flags | code,
    questions: [{ ...question, name: name ?? question.name }],
    answers,
    authorities,
  }
}

function soaOf(name: string): Answer {
  return {
    type: 'SOA',
    name: name.split('.').slice(-2).join('.'),
    ttl: absenceTtl,
    data: { mname: 'ns.example', rname: 'hostmaster.example', serial: 1, minimum: absenceTtl },
  }
}

function encodeRecord(
  { name, type, ttl }: { name: string; type: DnsRecordType; ttl: number },
  value: string,
  index: number,
): Answer {
  switch (type) {
    case 'TXT':
      return { type, name, ttl, data: splitText(value) }
    case 'MX':
      return { type, name, ttl, data: { preference: (index + 1) * 10, exchange: value } }
    default:
      return { type, name, ttl, data: value }
  }
}

/** The strings of a TXT record have at most 255 bytes. */
function splitText(value: string): Buffer[] {
  const bytes = Buffer.from(value)
  const count = Math.max(1, Math.ceil(bytes.length / 255))
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * 255, (index + 1) * 255))
}
