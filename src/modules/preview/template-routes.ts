import Type from 'typebox'
import type { EmailRendererOptions } from '../../core/emails/index.ts'
import { textOfHtml, withSampleLinks } from '../../core/emails/index.ts'
import type { ResolveRoute, Route } from '../../core/routing/index.ts'
import {
  type ReadContactData,
  readSource,
  readVariables,
  renderFailed,
  sourceBody,
  type Templates,
  variableMembers,
} from '../../core/templates/index.ts'
import type { Transports } from '../../core/transports/index.ts'
import type { Caller } from '../../kit/caller.ts'
import { type HostVariables, TwigError } from '../../libraries/twig/index.ts'
import {
  type Callers,
  emailAddress,
  type HttpApp,
  optionalText,
  recordId,
} from '../../platform/http/index.ts'
import { type SendEmailTest, testAnswer, testRecipient } from './send-test.ts'

export interface TemplateTestRouteParts {
  templates: Pick<Templates, 'getRow'>
  transports: Pick<Transports, 'getChangeable'>
  readContactData: ReadContactData
  resolveRoute: ResolveRoute
  rendering: EmailRendererOptions
  sendTest: SendEmailTest
  callers: Callers
}

const schema = {
  operationId: 'testTwigTemplate',
  summary: 'Send a template to yourself, saved or not',
  tags: ['twigTemplates'],
  body: Type.Object(
    {
      ...sourceBody.properties,
      ...variableMembers('The variables.'),
      subject: optionalText('Default: the name of the template.', 255),
      to: Type.Optional(emailAddress('The recipient; default: the calling user.')),
      transportId: Type.Optional(
        recordId('The transport, published or not. Default: the configured default.'),
      ),
    },
    { examples: [{ template: '<p>Hello</p>', transportId: 2, to: 'ann@example.com' }] },
  ),
  response: { 200: testAnswer },
}
const config = { permission: ['twigtemplates:view', 'multipleTransports:edit'] as const }

/** Adds `POST /api/twigTemplates/send/test`. */
export function addTemplateTestRoute(app: HttpApp, parts: TemplateTestRouteParts): void {
  const { templates, readContactData, rendering, sendTest, callers } = parts
  const { work } = rendering
  app.post('/api/twigTemplates/send/test', { schema, config }, async (request) => {
    const { subject, to, transportId } = request.body
    const caller = callers.of(request)
    const address = testRecipient(to, caller)
    const { source, name, brand } = await readSource(request.body, { templates, caller })
    const context = await readVariables(request.body, readContactData, caller)
    const { route, from } = await findRoute({ transportId, caller }, parts)
    const { html, text } = await work.run(callers.ownerOf(request), () =>
      render({ source, name, context, brand }, rendering),
    )
    const rendered = {
      from: { address: from ?? rendering.defaultFrom, name: '' },
      to: { address, name: '' },
      replyTo: null,
      subject: subject || name || 'Template',
      html,
      text,
      headers: {},
    }
    return sendTest({ rendered, route, emailId: null, brand: brand || null, caller })
  })
}

async function findRoute(
  { transportId, caller }: { transportId: number | undefined; caller: Caller },
  { transports, resolveRoute }: TemplateTestRouteParts,
): Promise<{ route: Route; from: string | null }> {
  if (transportId === undefined) return { route: await resolveRoute({}), from: null }
  const row = await transports.getChangeable(transportId, caller)
  const transport = { id: row.id, name: row.name }
  const reason = 'the test names it'
  const trace = [{ source: 'named' as const, transport, outcome: 'taken' as const, reason }]
  return { route: { target: { kind: 'transport', row }, trace }, from: row.tested_email_from }
}

interface RenderWork {
  source: string
  name: string | undefined
  context: HostVariables
  brand: number
}

async function render(
  { source, name, context, brand }: RenderWork,
  { engines, sources, links, work }: EmailRendererOptions,
): Promise<{ html: string; text: string }> {
  const { loader } = await sources.load(sources.referencesOf(source), { brand })
  const options = name === undefined ? { loader } : { loader, name }
  try {
    await work.turn()
    const twig = withSampleLinks(engines.html, links?.ofPreview)
    const html = twig.renderSource(source, context, options)
    await work.turn()
    return { html, text: textOfHtml(html) }
  } catch (error) {
    throw error instanceof TwigError ? renderFailed(error) : error
  }
}
