export type { Condition, ConditionKind, ConditionSources } from './condition.ts'
export {
  actionOf,
  actionsOn,
  atMost,
  bad,
  doubtful,
  findByBrand,
  findEach,
  findingsFor,
  formatCount,
  good,
  joined,
  listed,
  namedMax,
} from './finding.ts'
export { type Finding, type FindingAction, finding, severity } from './finding-schema.ts'
