import { ahasend } from './ahasend/provider.ts'
import { azure } from './azure/provider.ts'
import { brevo } from './brevo/provider.ts'
import { cloudflare } from './cloudflare/provider.ts'
import { gmail } from './gmail/provider.ts'
import { infobip } from './infobip/provider.ts'
import { lettermint } from './lettermint/provider.ts'
import { mailersend } from './mailersend/provider.ts'
import { mailgun } from './mailgun/provider.ts'
import { mailjet } from './mailjet/provider.ts'
import { mailkite } from './mailkite/provider.ts'
import { mailomat } from './mailomat/provider.ts'
import { mailpace } from './mailpace/provider.ts'
import { mailtrap } from './mailtrap/provider.ts'
import { mandrill } from './mandrill/provider.ts'
import { microsoftgraph } from './microsoftgraph/provider.ts'
import { smtpOAuthScheme } from './oauth-scheme.ts'
import { office365 } from './office365/provider.ts'
import { omnivery } from './omnivery/provider.ts'
import { postal } from './postal/provider.ts'
import { postmark } from './postmark/provider.ts'
import type { LocalScheme, Provider, Scheme } from './provider.ts'
import { resend } from './resend/provider.ts'
import { scaleway } from './scaleway/provider.ts'
import { sendgrid } from './sendgrid/provider.ts'
import { ses } from './ses/provider.ts'
import { smtpScheme } from './smtp-scheme.ts'
import { smtp2go } from './smtp2go/provider.ts'
import { sparkpost } from './sparkpost/provider.ts'
import { sweego } from './sweego/provider.ts'
import { turbosmtp } from './turbosmtp/provider.ts'

/**
 * `null://null`, `inbox://local`, `sendmail://default` and `native://default`. The command comes from the options of the
 * mailer: a DSN with a command could run any program.
 */
const localSchemes: readonly LocalScheme[] = [
  { kind: 'null', names: ['null'], isUserSecret: false },
  { kind: 'inbox', names: ['inbox'], isUserSecret: false },
  {
    kind: 'command',
    names: ['sendmail', 'sendmail+smtp', 'native'],
    isUserSecret: false,
    publicOptions: ['return_path'],
  },
]

/** Every provider, one line each, in the order in which they are offered: most people look for the first two. */
export const providers: readonly Provider[] = [
  office365,
  gmail,
  ahasend,
  azure,
  brevo,
  cloudflare,
  infobip,
  lettermint,
  mailkite,
  mailersend,
  mailgun,
  mailjet,
  mailomat,
  mailpace,
  mailtrap,
  mandrill,
  microsoftgraph,
  omnivery,
  postal,
  postmark,
  resend,
  scaleway,
  sendgrid,
  ses,
  smtp2go,
  sparkpost,
  sweego,
  turbosmtp,
]

/** A scheme and its provider; undefined for general schemes. */
interface RegisteredScheme {
  readonly scheme: Scheme
  readonly provider: Provider | undefined
}

const schemes = new Map<string, RegisteredScheme>()
for (const scheme of [smtpScheme, smtpOAuthScheme, ...localSchemes]) register(scheme, undefined)
for (const provider of providers) for (const scheme of provider.schemes) register(scheme, provider)

function register(scheme: Scheme, provider: Provider | undefined): void {
  for (const name of scheme.names) schemes.set(name, { scheme, provider })
}

/** Finds a scheme by its name or alias. Names are case-sensitive, as in Symfony. */
export function findScheme(name: string): RegisteredScheme | undefined {
  return schemes.get(name)
}

/** Finds a provider by the name of its folder. */
export function findProvider(name: string): Provider | undefined {
  return providers.find((provider) => provider.name === name)
}

/** Returns all scheme names and aliases in alphabetical order. */
export function schemeNames(): string[] {
  return [...schemes.keys()].sort()
}

const hosts = new Map<string, Provider>()
const hostPatterns: [RegExp, Provider][] = []
for (const provider of providers) {
  for (const scheme of provider.schemes)
    if (scheme.kind === 'smtp' && scheme.host !== undefined) hosts.set(scheme.host, provider)
  for (const host of provider.smtpHosts ?? [])
    if (typeof host === 'string') hosts.set(host, provider)
    else hostPatterns.push([host, provider])
}

/** Finds the provider of an SMTP host. */
export function findProviderByHost(host: string): Provider | undefined {
  const name = host.toLowerCase()
  return hosts.get(name) ?? hostPatterns.find(([pattern]) => pattern.test(name))?.[1]
}
