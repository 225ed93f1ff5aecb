import { twigInputs } from '../templates/twig-inputs.ts'
import type { HostileInput } from './hostile-input.ts'

/** Templates that are rendered. */
export const renderInputs: readonly HostileInput[] = twigInputs.map(
  ({ name, template, context = {} }) => ({
    name: `render: ${name}`,
    send: (target) =>
      target.ask({
        method: 'POST',
        path: '/api/twigTemplates/render',
        body: { template, context },
      }),
  }),
)
