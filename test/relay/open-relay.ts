import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { SmtpMode } from '../../src/kit/smtp-mode.ts'
import { basicHeader } from '../administrator.ts'
import { freePort } from '../free-port.ts'
import {
  createFolder,
  type MailyardProcess,
  quickMain,
  startMailyard,
} from '../mailyard-process.ts'

/** What a relay is opened with. */
export interface TestRelayOptions {
  /** The default transport. */
  dsn: string
  /** An SQLite of its own where it is left out. */
  databaseUrl?: string
  /** PEM; without it there is no TLS. */
  tls?: { cert: string; key: string }
  /** What 250 means. Default: `direct`. */
  mode?: SmtpMode
  /** Further settings. */
  env?: Readonly<Record<string, string>>
}

/** A Mailyard in its own process with an SMTP server; it can be killed and started again. */
export interface TestRelay {
  smtpPort: number
  login: { username: string; password: string }
  /** Where it runs; removed by `close`. */
  folder: string
  start(): Promise<void>
  /** SIGKILL, at once; resolves when it is gone. */
  kill(): Promise<void>
  /** Sets the clock of its process so far ahead of the machine's, or behind it; at the next start if it does not run. */
  setClock(aheadMs: number): void
  /** Asks its API, as the administrator. */
  ask(path: string, body?: unknown): Promise<unknown>
  /** What it has written. */
  output(): string
  close(): Promise<void>
}

export async function openRelay(options: TestRelayOptions): Promise<TestRelay> {
  const { dsn, databaseUrl, tls, mode = 'direct' } = options
  const { folder, remove } = createFolder()
  const clockFile = join(folder, 'clock')
  writeFileSync(clockFile, '0')
  const smtpPort = await freePort()
  const login = { username: 'admin', password: 'correct-horse-battery' }
  const env = {
    MAILYARD_MAILER_DSN: dsn,
    MAILYARD_SMTP_PORT: String(smtpPort),
    MAILYARD_ADMIN_PASSWORD: login.password,
    MAILYARD_SECRET_KEY: 'a secret key for tests, of 32 characters or more',
    MAILYARD_SMTP_MODE: mode,
    TEST_CLOCK_FILE: clockFile,
    ...options.env,
    ...(tls === undefined
      ? {}
      : { MAILYARD_SMTP_TLS_CERTIFICATE: tls.cert, MAILYARD_SMTP_TLS_KEY: tls.key }),
  }
  let running: MailyardProcess | undefined
  const get = () => {
    if (running === undefined) throw new Error('The relay does not run.')
    return running
  }
  const authorization = basicHeader(login.username, login.password)
  return {
    smtpPort,
    login,
    folder,
    async start() {
      running = await startMailyard({
        folder,
        env,
        main: quickMain,
        ...(databaseUrl === undefined ? {} : { databaseUrl }),
      })
    },
    async kill() {
      running?.kill('SIGKILL')
      await running?.ended
    },
    setClock(aheadMs) {
      writeFileSync(clockFile, String(aheadMs))
      running?.kill('SIGUSR2')
    },
    async ask(path, body) {
      const answer = await fetch(get().url + path, {
        headers: { authorization, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
      })
      if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`)
      return answer.json()
    },
    output: () => get().output(),
    async close() {
      await running?.stop()
      remove()
    },
  }
}
