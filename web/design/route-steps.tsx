import type { Schema } from '../lib/api.ts'
import { words } from '../words/common.ts'
import { Badge } from './feedback.tsx'

/** The steps of a route: each candidate in order, taken or skipped, and why. */
export function RouteSteps({ steps }: { steps: readonly Schema<'RouteStep'>[] }) {
  const texts = words.route
  return (
    <ol class="stages">
      {steps.map((step) => (
        <li key={`${step.source} ${step.transport?.id} ${step.reason}`}>
          <div class="row">
            <Badge tone={step.outcome === 'taken' ? 'good' : 'neutral'}>
              {texts.outcomes[step.outcome]}
            </Badge>
            <strong>{texts.sources[step.source]}</strong>
            {step.transport !== null && (
              <a href={`/transports/${step.transport.id}`}>{step.transport.name}</a>
            )}
          </div>
          <p class="small route-reason">{step.reason}</p>
        </li>
      ))}
    </ol>
  )
}
