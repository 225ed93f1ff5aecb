import { spawn } from 'node:child_process'
import { Alarm } from '../../../kit/timers.ts'
import { attempt } from '../delivery/create-result.ts'
import type { DeliveryResult } from '../delivery/delivery-result.ts'
import { FaultError, type FaultFields } from '../delivery/fault-error.ts'
import type { SendLimiter } from '../delivery/send-limiter.ts'
import {
  requireLease,
  type SendOptions,
  type Transport,
  type TransportLoad,
  waitUntilReady,
  withReturnPath,
} from '../delivery/transport.ts'
import type { Message } from '../message/message.ts'

interface CommandTransportOptions {
  /** The configured command: program and arguments. It runs without a shell. */
  readonly command: readonly [string, ...string[]]
  readonly label: string
  readonly limiter: SendLimiter
  readonly timeoutMs: number
  readonly hasReturnPath: boolean
}

type ExitMeaning = Pick<FaultFields, 'code' | 'scope' | 'isPermanent' | 'hint'>

/** The exit codes of sysexits.h that sendmail commands use. Other codes are errors of the mail system. */
const exitMeanings: Record<number, ExitMeaning> = {
  64: { code: 'message_refused', scope: 'message', isPermanent: true },
  65: { code: 'message_refused', scope: 'message', isPermanent: true },
  67: { code: 'recipient_unknown', scope: 'recipient', isPermanent: true },
  68: { code: 'recipient_unknown', scope: 'recipient', isPermanent: true },
  75: { code: 'deferred', scope: 'message' },
}
const systemError: ExitMeaning = {
  code: 'server_fault',
  hint: 'Look into the log of the mail system of this machine.',
}
const errorBytesMax = 4096

/** The transport that runs the configured sendmail command. */
export class CommandTransport implements Transport {
  readonly label: string
  readonly #options: CommandTransportOptions

  constructor(options: CommandTransportOptions) {
    this.label = options.label
    this.#options = options
  }

  send(written: Message, sendOptions: SendOptions = {}): Promise<DeliveryResult> {
    const message = withReturnPath(written, sendOptions, this.#options)
    return attempt(message, { member: this.label, options: sendOptions }, async (options) => {
      const permit = await this.#options.limiter.acquire(options.signal)
      try {
        await waitUntilReady(options, 'data')
        requireLease(options, 'data')
        await run(message, this.#options, options.signal)
      } finally {
        permit.release()
      }
      const reply = { protocol: 'command', code: 0, enhancedCode: null, text: '' } as const
      return { stage: 'data', reply }
    })
  }

  load(): TransportLoad {
    return { connections: 0, ...this.#options.limiter.load() }
  }

  close(): Promise<void> {
    return this.#options.limiter.close()
  }
}

/**
 * Runs the command for one message.
 * @throws {FaultError} when it does not accept the message.
 */
function run(
  { envelope, raw }: Message,
  { command: [program, ...parameters], timeoutMs }: CommandTransportOptions,
  signal: AbortSignal | undefined,
): Promise<void> {
  const addresses = ['-i', '-f', envelope.from === '' ? '<>' : envelope.from, '--', ...envelope.to]
  return new Promise((resolve, reject) => {
    const child = spawn(program, [...parameters, ...addresses], {
      stdio: ['pipe', 'ignore', 'pipe'],
      shell: false,
      env: { PATH: process.env['PATH'] ?? '/usr/sbin:/usr/bin:/sbin:/bin' },
    })
    let complaint = ''
    const kill = () => child.kill('SIGKILL')
    // The `timeout` of spawn would go on where the command cannot be run.
    const late = new Alarm(kill).set(timeoutMs)
    signal?.addEventListener('abort', kill, { once: true })
    child.stderr.on('data', (chunk: Buffer) => {
      if (complaint.length < errorBytesMax) complaint += chunk.toString('utf8')
    })
    // A command that exits early closes the pipe; its exit code says why.
    child.stdin.on('error', () => undefined)
    child.once('error', (error) => settle(() => reject(notStarted(program, error))))
    child.once('close', (code) => {
      settle(() => {
        if (code === 0) resolve()
        else reject(code === null ? killed(program) : refused(program, code, complaint))
      })
    })
    const settle = (done: () => void) => {
      late.cancel()
      signal?.removeEventListener('abort', kill)
      done()
    }
    // A local command expects the line ends of this system.
    const bytes = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    child.stdin.end(Buffer.from(bytes.toString('latin1').replaceAll('\r\n', '\n'), 'latin1'))
  })
}

function notStarted(program: string, cause: unknown): FaultError {
  return new FaultError(
    {
      code: 'unreachable',
      stage: 'connect',
      message: `The command ${program} cannot be run.`,
      hint: 'The operator must configure a command that exists and is executable.',
    },
    { cause },
  )
}

function killed(program: string): FaultError {
  return new FaultError(
    {
      code: 'stalled',
      stage: 'data',
      message: `The command ${program} did not exit in time and was killed; it may have accepted the message.`,
      hint: 'Look into the queue of the mail system of this machine.',
    },
    { isUncertain: true },
  )
}

function refused(program: string, code: number, complaint: string): FaultError {
  const text = complaint.replace(/\s+/g, ' ').trim().slice(0, 300)
  return new FaultError({
    ...(exitMeanings[code] ?? systemError),
    stage: 'data',
    message: `The command ${program} refused the message (exit code ${code})${text === '' ? '.' : `: ${text}`}`,
    reply: { protocol: 'command', code, enhancedCode: null, text },
  })
}
