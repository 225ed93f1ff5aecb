import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** The messages that smtp-source submits. */
export interface SourceRun {
  readonly port: number
  readonly connections: number
  readonly messages: number
  /** Whether each message uses a new connection. Default: no. */
  readonly isReconnecting?: boolean
  /** The size of each message. Default: 10 KB. */
  readonly bytes?: number
}

/** The size of most messages, in bytes. */
export const messageBytes = 10 * 1024

/** Submits messages with Postfix's smtp-source; resolves once each is answered. */
export async function runSource({
  port,
  connections,
  messages,
  isReconnecting = false,
  bytes = messageBytes,
}: SourceRun): Promise<void> {
  const child = spawn(
    'smtp-source',
    [
      ...(isReconnecting ? [] : ['-d']),
      ...['-s', String(connections)],
      ...['-m', String(messages)],
      ...['-l', String(bytes)],
      ...['-f', 'sender@example.com'],
      ...['-t', 'recipient@example.com'],
      `127.0.0.1:${port}`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const [code] = (await once(child, 'exit')) as [number | null]
  if (code !== 0) throw new Error(`smtp-source ended with ${code}.`)
}
