import type { Config } from './settings.ts'

/** The least memory of the default: a caller may then send a batch of the largest size, and others too. */
const memoryMegabytesDefault = 300
/** How many times the largest message is the memory of the default. While it is sent, a message is in memory up to four times. */
const largestInMemory = 12
/** A caller gets at most half of the memory, and needs it for the largest message with its copies, and for the largest batch. */
const leastInMemory = 8
const memoryMegabytesLeast = 128

type MemorySettings = Pick<Config, 'memoryMegabytesMax' | 'smtpMessageSizeMegabytesMax'>

/** The memory for what is being received and read at a time: bodies of requests, messages, webhooks. In megabytes. */
export function memoryMegabytes(config: MemorySettings): number {
  const { memoryMegabytesMax, smtpMessageSizeMegabytesMax } = config
  return (
    memoryMegabytesMax ??
    Math.max(memoryMegabytesDefault, smtpMessageSizeMegabytesMax * largestInMemory)
  )
}

/** Returns what is wrong with the memory setting beside the largest message; undefined where it suffices. */
export function findMemoryFault(config: Partial<MemorySettings>): string | undefined {
  const { memoryMegabytesMax, smtpMessageSizeMegabytesMax = 0 } = config
  const least = Math.max(memoryMegabytesLeast, smtpMessageSizeMegabytesMax * leastInMemory)
  if (memoryMegabytesMax === undefined || memoryMegabytesMax >= least) return undefined
  return `must be at least ${least}: ${leastInMemory} times MAILYARD_SMTP_MESSAGE_MEGABYTES, and never below ${memoryMegabytesLeast}`
}

/** What links to pages of Mailyard start with, without a slash at the end. */
export function publicUrl({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>) {
  if (publicUrl !== undefined) return publicUrl
  const isAny = ['0.0.0.0', '::'].includes(host)
  return `http://${isAny ? 'localhost' : host.includes(':') ? `[${host}]` : host}:${port}`
}

/** Where applications submit messages over SMTP. */
interface SmtpAddress {
  scheme: 'smtp' | 'smtps'
  host: string
  port: number
}

interface ListeningServer {
  readonly port: number | undefined
  readonly securePort: number | undefined
  readonly connections: number
}

/** Where applications submit messages. The port 0 takes a free one, which is known once the server listens. */
export class SmtpEndpoint {
  readonly #config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'smtpPort' | 'smtpsPort'>
  #server: ListeningServer | undefined

  constructor(config: Pick<Config, 'publicUrl' | 'host' | 'port' | 'smtpPort' | 'smtpsPort'>) {
    this.#config = config
  }

  /** Takes the server that listens. */
  listens(server: ListeningServer): void {
    this.#server = server
  }

  /** How many connections are open. */
  get connections(): number {
    return this.#server?.connections ?? 0
  }

  /** Undefined where the SMTP server is closed. */
  get address(): SmtpAddress | undefined {
    const { smtpPort, smtpsPort } = this.#config
    const host = new URL(publicUrl(this.#config)).hostname
    if (smtpPort !== undefined)
      return { scheme: 'smtp', host, port: this.#server?.port ?? smtpPort }
    if (smtpsPort === undefined) return undefined
    return { scheme: 'smtps', host, port: this.#server?.securePort ?? smtpsPort }
  }
}
