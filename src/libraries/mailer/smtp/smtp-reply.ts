import type { ServerReply } from '../delivery/fault.ts'
import type { Redactor } from '../delivery/redactor.ts'

/**
 * One reply as received; its lines are without the code.
 * @see RFC 5321, section 4.2
 */
export interface SmtpReply {
  readonly code: number
  readonly lines: readonly string[]
}

/** Some servers write `#5.1.0` or `(5.1.0)`. */
const enhancedPattern = /^[#('[-]{0,3}([245]\.\d{1,3}\.\d{1,3})(?:[)\]:,'-]| |$)\s?/
/** The prompts of AUTH LOGIN ("Username:", "Password:"), which servers repeat in refusals. */
const encodedPrompts = /\b(VXNlcm5hbWU6|UGFzc3dvcmQ6)/g

/** Whether the reply is a Positive Completion (2yz). */
export function isPositive({ code }: SmtpReply): boolean {
  return code >= 200 && code < 300
}

/** Whether the reply is a Transient Negative Completion (4yz). */
export function isTransient({ code }: SmtpReply): boolean {
  return code >= 400 && code < 500
}

/**
 * Returns the enhanced status code if the reply begins with one.
 * @see RFC 3463
 */
function enhancedCodeOf({ lines }: SmtpReply): string | null {
  return enhancedPattern.exec(lines[0] ?? '')?.[1] ?? null
}

/** Returns the text without codes; lines are joined by a space. */
export function textOf({ lines }: SmtpReply): string {
  return lines
    .map((line) => line.replace(enhancedPattern, '').trim())
    .filter((line) => line !== '')
    .join(' ')
}

/** Converts a reply for showing, with secrets masked. */
export function shownReply(reply: SmtpReply, redact: Redactor): ServerReply {
  return {
    protocol: 'smtp',
    code: reply.code,
    enhancedCode: enhancedCodeOf(reply),
    text: redact(textOf(reply)).replace(encodedPrompts, '').trim(),
  }
}

const lineFeed = 0x0a
// Far above the 512 of RFC 5321: real servers write long EHLO and refusal lines.
const lineBytesMax = 16 * 1024
const linesMax = 512

/** Thrown when the server sends something that is not SMTP. `excerpt` is the start of it. */
export class NotSmtpError extends Error {
  override readonly name = 'NotSmtpError'
  readonly excerpt: string

  constructor(excerpt: string) {
    super('The server sent something that is not an SMTP reply.')
    this.excerpt = excerpt
  }
}

/** Assembles replies from received chunks. */
export class ReplyReader {
  #rest: Buffer | undefined
  #code = 0
  #lines: string[] = []

  /** Whether an incomplete reply was received. */
  get isPartial(): boolean {
    return this.#rest !== undefined || this.#lines.length > 0
  }

  /**
   * Reads a chunk and passes on each complete reply.
   * @throws {NotSmtpError}
   */
  push(chunk: Buffer, handOn: (reply: SmtpReply) => void): void {
    const bytes = this.#rest === undefined ? chunk : Buffer.concat([this.#rest, chunk])
    const end = bytes.lastIndexOf(lineFeed) + 1
    this.#rest = end === bytes.length ? undefined : bytes.subarray(end)
    if ((this.#rest?.length ?? 0) > lineBytesMax) throw notSmtp(bytes.toString('utf8'))
    if (end === 0) return
    for (const line of bytes.toString('utf8', 0, end - 1).split('\n'))
      this.#readLine(line.endsWith('\r') ? line.slice(0, -1) : line, handOn)
  }

  #readLine(line: string, handOn: (reply: SmtpReply) => void): void {
    const code = codeOf(line)
    const separator = line[3]
    const isSound =
      code !== 0 &&
      (separator === undefined || separator === ' ' || separator === '-') &&
      (this.#lines.length === 0 || code === this.#code) &&
      this.#lines.length < linesMax &&
      line.length <= lineBytesMax
    if (!isSound) throw notSmtp(line)
    this.#code = code
    this.#lines.push(line.slice(4))
    if (separator === '-') return
    const reply = { code, lines: this.#lines }
    this.#lines = []
    handOn(reply)
  }
}

function codeOf(line: string): number {
  if (!/^[2-5]\d\d/.test(line)) return 0
  return Number(line.slice(0, 3))
}

function notSmtp(text: string): NotSmtpError {
  return new NotSmtpError(text.replace(/[^\x20-\x7e]/g, '.').slice(0, 60))
}

/**
 * The service extensions that a server announces in its reply to EHLO.
 * @see RFC 5321, section 2.2
 */
export interface Extensions {
  readonly hasStartTls: boolean
  readonly hasPipelining: boolean
  readonly hasSize: boolean
  /** The largest accepted message in bytes; Infinity when the server names no limit. */
  readonly sizeBytesMax: number
  readonly has8BitMime: boolean
  readonly hasSmtpUtf8: boolean
  /** SASL mechanisms in upper case. */
  readonly mechanisms: ReadonlySet<string>
}

/** The extensions of a server that knows HELO only. */
export const noExtensions: Extensions = readExtensions({ code: 250, lines: [] })

/** Reads the reply to EHLO. Its first line is the name of the server. */
export function readExtensions({ lines }: SmtpReply): Extensions {
  const extensions = new Map<string, string[]>()
  for (const line of lines.slice(1)) {
    // Servers older than RFC 2554 write "AUTH=LOGIN".
    const [name = '', ...parameters] = line.trim().toUpperCase().split(/[ =]+/)
    extensions.set(name, [...(extensions.get(name) ?? []), ...parameters])
  }
  const size = Number(extensions.get('SIZE')?.[0] ?? 0)
  return {
    hasStartTls: extensions.has('STARTTLS'),
    hasPipelining: extensions.has('PIPELINING'),
    hasSize: extensions.has('SIZE'),
    sizeBytesMax: size > 0 ? size : Infinity,
    has8BitMime: extensions.has('8BITMIME'),
    hasSmtpUtf8: extensions.has('SMTPUTF8'),
    mechanisms: new Set(extensions.get('AUTH')),
  }
}

const patterns = [
  // Postfix and most: "Ok: queued as 4WzXyZ1abc"; Exim and Exchange: "OK id=1r…", "[InternalId=…]".
  /queued(?: mail)? (?:as|for delivery)[ :]+<?([^\s>;,]+)/i,
  /\bid=([\w@.-]+)/i,
  // Amazon SES: "Ok 0100018c…".
  /^ok:? <?([\w@.-]{16,})>?$/i,
]

/** Returns the server's own id for the message, if its reply names one. */
export function messageIdOf({ text }: ServerReply): string | null {
  for (const pattern of patterns) {
    const id = pattern.exec(text)?.[1]
    if (id !== undefined) return id
  }
  return null
}
