import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import { readReport } from '../../feedback/index.ts'
import { AppError } from '../../kit/app-error.ts'
import { formatOptionalDate } from '../../kit/iso-date.ts'
import { suggest } from '../../kit/suggest.ts'
import {
  describeProviders,
  findProviderWebhooks,
  type ProviderEvent,
  type ProviderWebhooks,
  WebhookError,
} from '../../mailer/index.ts'
import { exitCodes } from '../errors.ts'
import { usageError } from '../input.ts'
import type { CliEnvironment, CommandContext } from '../output.ts'

/** `mailyard events parse`: prints what a request of a provider, or a report by mail, means. It opens no database. */
export async function parseEvents(
  { environment, output }: CommandContext,
  provider = '',
  file?: string,
): Promise<number> {
  const read = provider === 'mail' ? readMail : readerOf(getWebhooks(provider))
  const events = (await read(await readBody(environment, file))).map(shownEvent)
  output.print(events, jsonLines(events))
  return exitCodes.ok
}

/** JSON whose control characters are escaped, also those that a terminal obeys and JSON lets pass. */
function jsonLines(value: unknown): string[] {
  return JSON.stringify(value, null, 2)
    .replace(
      /[\u007f-\u009f]/g,
      (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    .split('\n')
}

function getWebhooks(provider: string): ProviderWebhooks {
  const webhooks = findProviderWebhooks(provider)
  if (webhooks !== undefined) return webhooks
  const known = describeProviders({})
    .map(({ name }) => name)
    .filter((name) => findProviderWebhooks(name) !== undefined)
    .concat('mail')
  const advice = [suggest(provider, known), `Known are ${known.join(', ')}.`]
  throw usageError(
    [`The provider "${provider}" is not known.`, ...advice.filter(Boolean)].join(' '),
  )
}

async function readBody({ stdin }: CliEnvironment, file: string | undefined): Promise<Buffer> {
  if (file === undefined || file === '-') return buffer(stdin)
  try {
    return await readFile(file)
  } catch (error) {
    const message = `The file ${file} cannot be read: ${(error as Error).message}`
    throw new AppError('invalid', 'file_unreadable', message, { cause: error })
  }
}

function readerOf(webhooks: ProviderWebhooks): (body: Buffer) => Promise<ProviderEvent[]> {
  return async (body) => {
    try {
      return await webhooks.read(body)
    } catch (error) {
      if (!(error instanceof WebhookError)) throw error
      throw new AppError('invalid', 'events_unreadable', error.message, { cause: error })
    }
  }
}

/** Reads a bounce or a complaint that came by mail. */
async function readMail(message: Buffer): Promise<ProviderEvent[]> {
  const reading = await readReport(message)
  if ('events' in reading) return reading.events
  throw new AppError('invalid', 'events_unreadable', reading.problem)
}

function shownEvent({ type, recipient, providerId, at, class: severity, reason }: ProviderEvent) {
  return {
    type,
    recipient,
    providerId,
    at: formatOptionalDate(at),
    class: severity,
    reason,
  }
}
