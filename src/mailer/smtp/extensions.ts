import type { SmtpReply } from './smtp-reply.ts'

/** What a server says in its answer to EHLO that it can do. */
export interface Extensions {
  readonly hasStartTls: boolean
  readonly hasPipelining: boolean
  readonly hasSize: boolean
  /** The largest message in bytes; Infinity where the server names none. */
  readonly sizeBytesMax: number
  readonly has8BitMime: boolean
  readonly hasSmtpUtf8: boolean
  /** Delivery status notifications (RFC 3461). */
  readonly hasNotifications: boolean
  /** SASL mechanisms in upper case. */
  readonly mechanisms: ReadonlySet<string>
}

/** Those of a server that answered HELO only. */
export const noExtensions: Extensions = readExtensions({ code: 250, lines: [] })

/** Reads the answer to EHLO; its first line is the server's greeting. */
export function readExtensions({ lines }: SmtpReply): Extensions {
  const found = new Map<string, string[]>()
  for (const line of lines.slice(1)) {
    // "AUTH=LOGIN" is what servers wrote before RFC 2554.
    const [name = '', ...parameters] = line.trim().toUpperCase().split(/[ =]+/)
    found.set(name, [...(found.get(name) ?? []), ...parameters])
  }
  const size = Number(found.get('SIZE')?.[0] ?? 0)
  return {
    hasStartTls: found.has('STARTTLS'),
    hasPipelining: found.has('PIPELINING'),
    hasSize: found.has('SIZE'),
    sizeBytesMax: size > 0 ? size : Infinity,
    has8BitMime: found.has('8BITMIME'),
    hasSmtpUtf8: found.has('SMTPUTF8'),
    hasNotifications: found.has('DSN'),
    mechanisms: new Set(found.get('AUTH')),
  }
}
