import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import type { CreatedWebhook } from '../../mautic/index.ts'
import type { Output } from '../output.ts'

/** Creates the webhook of a Mautic, and says how that ended. Returns null if none was created. */
export async function createWebhook(
  app: App,
  mauticId: number,
  {
    output,
    baseUrl,
    acceptsUnproven,
  }: { output: Output; baseUrl: string | undefined; acceptsUnproven: boolean },
): Promise<CreatedWebhook | null> {
  output.say('')
  if (baseUrl === undefined) {
    output.say(
      'No webhook was created, because Mautic has to know where Mailyard is: set MAILYARD_PUBLIC_URL or use --webhook-url.',
      'Without it, additions to its Do not contact list are taken over within a minute, and removals within an hour.',
    )
    return null
  }
  try {
    const webhook = await app.mautics.webhooks.create(mauticId, {
      baseUrl,
      acceptsUnproven,
    })
    const { id, url, warnings } = webhook
    output.say(`Webhook ${id} of this Mautic leads to ${url}.`, ...warnings)
    return webhook
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    output.say(`The webhook was not created: ${error.message}`)
    return null
  }
}
