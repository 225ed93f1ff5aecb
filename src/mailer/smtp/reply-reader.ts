import type { SmtpReply } from './smtp-reply.ts'

const lineFeed = 0x0a
// Far above the 512 of RFC 5321: real servers write long EHLO and refusal lines.
const lineBytesMax = 16 * 1024
const linesMax = 512

/** What a server sent is not SMTP. `excerpt` is its beginning. */
export class NotSmtpError extends Error {
  override readonly name = 'NotSmtpError'
  readonly excerpt: string

  constructor(excerpt: string) {
    super('The server sent what is no SMTP reply.')
    this.excerpt = excerpt
  }
}

/** Puts replies together from what arrives. */
export class ReplyReader {
  #rest: Buffer | undefined
  #code = 0
  #lines: string[] = []

  /** Whether part of a reply has arrived that is not complete. */
  get isPartial(): boolean {
    return this.#rest !== undefined || this.#lines.length > 0
  }

  /** Takes what arrived and hands on each reply that it completes. Throws NotSmtpError. */
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
