export { publicBodySizeBytesMax } from './body-sizes.ts'
export { type Callers, createCallers } from './callers.ts'
export { trackConnections } from './connections.ts'
export { isFromBrowser, isFromOtherSite, otherSite } from './cross-site.ts'
export { answerTo } from './error-body.ts'
export { addHealthRoutes } from './health-routes.ts'
export type {
  HttpApp,
  HttpReply,
  HttpRequest,
  HttpRequestHook,
  RoutePermission,
} from './http-app.ts'
export { readDate } from './list/query-date.ts'
export { flagFault, isAsked, readFlag } from './list/query-flag.ts'
export { addOpenApi } from './openapi/add-openapi.ts'
export { withHeaders } from './openapi/headers.ts'
export { addStartPage } from './pages.ts'
export { entityTag, ifMatchHeaders, readIfMatch } from './resource/entity-tag.ts'
export { idParameter, idParameters, readId } from './resource/record-id.ts'
export type { ResourceShape } from './resource/resource.ts'
export { addResourceRoutes } from './resource/resource-routes.ts'
export {
  emailAddress,
  isPublishedFlag,
  nameText,
  nullable,
  optionalEmailAddress,
  optionalText,
  recordId,
  recordIdOrNull,
} from './schema-parts.ts'
export { setPageSecurityHeaders } from './security-headers.ts'
export { createHttpServer, type DeclaredRoute } from './server.ts'
export {
  mauticStampExample,
  mauticStampSchema,
  presentMauticStamps,
  presentStamps,
  stampExample,
  stampFields,
  stampSchema,
} from './stamps.ts'
export { createCheck, validationError } from './validation.ts'
