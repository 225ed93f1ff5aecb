import type { DeliveryIntervals } from '../core/delivery/index.ts'
import type { GoogleEndpoints } from '../core/transports/index.ts'
import type { Caller } from '../kit/caller.ts'
import type { Clock } from '../kit/clock.ts'
import type { Log } from '../kit/log.ts'
import type { PasswordCost } from '../platform/auth/index.ts'
import type { Config, ConfigReading } from '../platform/config/index.ts'

export interface AppOptions {
  config: Config
  /** The settings as they were read at the start, for people. */
  reading?: Pick<ConfigReading, 'warnings' | 'settings'>
  /** Reads the configuration again, for files that have changed, such as certificates. Throws an AppError (`invalid`). */
  rereadConfig: () => Config
  log: Log
  clock: Clock
  /** Returns random text, for request ids and the first administrator's password. */
  createSecret: () => string
  /** Shows the operator how the first administrator logs in, once. */
  showFirstLogin: (login: FirstLogin) => void
  /** For one command: the caller of every request, which needs no log-in then, and what it asks. Default: the server of a service. */
  command?: { caller: Caller; paths: ReadonlySet<string> | undefined } | undefined
  /** Default: those of a service. */
  intervals?: DeliveryIntervals | undefined
  /** Default: OWASP's recommendation. */
  passwordCost?: PasswordCost
  /** How long a Mautic may take to answer a forwarded request. Default: that of the gateway. */
  mauticAnswerMs?: number
  /** Default: those of Google. */
  googleEndpoints?: GoogleEndpoints
  /** Sends requests to the APIs of providers. Default: by the outbound policy. */
  providerFetch?: typeof fetch
}

/** How the first administrator of a new installation logs in. */
export interface FirstLogin {
  username: string
  /** Generated. */
  password: string
  /** Opens the console, which asks for a new password. */
  link: string
}
