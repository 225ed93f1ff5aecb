import { AppError } from '../../../kit/app-error.ts'
import { formatOptionalDate } from '../../../kit/iso-date.ts'
import { suggest } from '../../../kit/suggest.ts'
import {
  describeProviders,
  findProviderWebhooks,
  type ProviderEvent,
  WebhookError,
} from '../../../libraries/mailer/index.ts'
import { readReport } from '../../../modules/events/index.ts'
import type { CommandInput } from '../command.ts'
import { exitCodes, usageError } from '../errors.ts'
import { readSource } from '../input.ts'
import type { CommandContext } from '../output.ts'

/** `mailyard events parse`: prints what a request of a provider, or a report by mail, means. It opens no database. */
export async function parseEvents(
  { environment, output }: CommandContext,
  { args: [provider = '', file = '-'] }: CommandInput,
): Promise<number> {
  const read = provider === 'mail' ? readMail : readerOf(provider)
  const source = file === '-' ? file : `@${file}`
  const events = (await read(await readSource(environment, source))).map(shownEvent)
  // Control characters are escaped, also those that a terminal obeys and JSON lets pass.
  const json = JSON.stringify(events, null, 2).replace(
    /[\u007f-\u009f]/g,
    (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  output.print(events, [json])
  return exitCodes.ok
}

function readerOf(provider: string): (body: Buffer) => Promise<ProviderEvent[]> {
  const webhooks = findProviderWebhooks(provider)
  if (webhooks === undefined) throw unknownProvider(provider)
  return async (body) => {
    try {
      return await webhooks.read(body)
    } catch (error) {
      if (error instanceof WebhookError) throw unreadable(error.message)
      throw error
    }
  }
}

function unknownProvider(provider: string): AppError {
  const known = describeProviders({})
    .map(({ name }) => name)
    .filter((name) => findProviderWebhooks(name) !== undefined)
    .concat('mail')
  const sentences = [`The provider "${provider}" is not known.`, suggest(provider, known)]
  return usageError([...sentences, `Known are ${known.join(', ')}.`].filter(Boolean).join(' '))
}

/** Reads a bounce or a complaint that came by mail. */
async function readMail(message: Buffer): Promise<readonly ProviderEvent[]> {
  const { events, problem } = await readReport(message)
  if (events.length === 0 && problem !== undefined) throw unreadable(problem)
  return events
}

const unreadable = (message: string) => new AppError('invalid', 'events_unreadable', message)

function shownEvent({ at, ...event }: ProviderEvent) {
  const { type, recipient, providerId, class: severity, reason } = event
  return { type, recipient, providerId, at: formatOptionalDate(at), class: severity, reason }
}
