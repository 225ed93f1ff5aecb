import type { App } from '../../app.ts'
import { AppError } from '../../kit/app-error.ts'
import type { Webhooks } from '../../mautic/index.ts'
import type { Output } from '../output.ts'

type CreatedWebhook = Awaited<ReturnType<Webhooks['create']>>

/** Creates the webhook of a Mautic, and says what became of it. Returns null if none was created. */
export async function createWebhook(
  app: App,
  mauticId: number,
  { output, baseUrl }: { output: Output; baseUrl: string | undefined },
): Promise<CreatedWebhook | null> {
  output.say('')
  if (baseUrl === undefined) {
    output.say(
      'No webhook was created, because Mautic has to know where Mailyard is: set MAILYARD_PUBLIC_URL or use --webhook-url.',
      'Without it, Mailyard asks Mautic for each message, and does not take its Do not contact list over.',
    )
    return null
  }
  try {
    const webhook = await app.mautics.webhooks.create(mauticId, baseUrl)
    const { id, url, warnings } = webhook
    output.say(`Webhook ${id} of this Mautic leads to ${url}.`, ...warnings)
    return webhook
  } catch (error) {
    if (!(error instanceof AppError) || error.kind === 'internal') throw error
    output.say(`The webhook was not created: ${error.message}`)
    return null
  }
}
