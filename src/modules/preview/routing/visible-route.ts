import Type, { type Static } from 'typebox'
import { routeStep, visibleProblem, visibleTrace } from '../../../core/deliveries/index.ts'
import type { Route } from '../../../core/routing/index.ts'
import { type Caller, noBrand, type OfBrand } from '../../../kit/caller.ts'
import { nullable } from '../../../platform/http/index.ts'

/** Which transport a message is sent through, and why. */
export const routeAnswer = Type.Object({
  transport: nullable(
    Type.Object(
      { id: Type.Integer(), name: Type.String() },
      { examples: [{ id: 2, name: 'Try-out' }] },
    ),
  ),
  isDefault: Type.Boolean({
    description: 'Whether it is the configured default.',
    examples: [false],
  }),
  problem: nullable(Type.String(), {
    description: 'Why the transport that the message names cannot be used; null if it can.',
    examples: [null],
  }),
  trace: Type.Array(routeStep),
})

/** The brand of a message that a caller would send; of several that of the email, else the first. See `RouteQuestion`. */
export function brandOfAsked({ brands }: Pick<Caller, 'brands'>, email?: OfBrand): number | null {
  const ofEmail = email === undefined || email.brand_id === noBrand ? null : email.brand_id
  if (brands === 'all') return ofEmail
  return brands.find((each) => each === ofEmail) ?? brands[0] ?? noBrand
}

/** The route as this caller may see it. */
export function visibleRoute({ target, trace }: Route, caller: Caller): Static<typeof routeAnswer> {
  const isVisible = target.kind === 'transport' && caller.can('multipleTransports:view')
  return {
    transport: isVisible ? { id: target.row.id, name: target.row.name } : null,
    isDefault: target.kind === 'default',
    problem: visibleProblem('problem' in target ? target.problem : null, caller),
    trace: visibleTrace(trace, caller),
  }
}
