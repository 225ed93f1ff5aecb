export {
  batchItemsMax,
  batchSizeBytesMax,
  bodySizeBytesMax,
  checkJsonSize,
  publicBodySizeBytesMax,
} from './body-limits.ts'
export { isFromBrowser, isFromOtherSite, otherSite } from './cross-site.ts'
export { disconnected } from './disconnected.ts'
export { discardBody } from './error-handler.ts'
export { answerTo, HttpError, statusOf } from './errors.ts'
export { addHealthRoutes } from './health-routes.ts'
export { renderPage, sendPage } from './html-page.ts'
export type {
  HttpApp,
  HttpReply,
  HttpRequest,
  HttpRequestHook,
  RoutePermission,
} from './http-app.ts'
export { Callers } from './http-app.ts'
export { acceptsLines, linesDescription, sendLines } from './json-lines.ts'
export { isLocalRequest } from './local-request.ts'
export { createNetworkLimit } from './network-limit.ts'
export { trackConnections } from './node-server.ts'
export { addOpenApi, withHeaders } from './openapi/add-openapi.ts'
export { OutboundFetch, outboundRules } from './outbound-fetch.ts'
export { limitParameter, nextPage, pageParameters } from './pages.ts'
export { createQueryReader, isAsked, type Query, type QueryReader, readDate } from './query.ts'
export { ReceivedBytes } from './received-bytes.ts'
export {
  entityTag,
  idParameter,
  idParameters,
  ifMatchHeaders,
  readId,
  readIfMatch,
} from './request-target.ts'
export { clientPath, type Rerouting } from './rerouting.ts'
export { createCheck, createValidator, validationError } from './schema-compilers.ts'
export {
  emailAddress,
  isPublishedFlag,
  nameText,
  nullable,
  optionalEmailAddress,
  optionalText,
  recordId,
  recordIdOrNull,
  text,
} from './schema-parts.ts'
export { createHttpServer, type DeclaredRoute } from './server.ts'
export { sendWarningsHeader, warningsOf } from './warnings.ts'
export { writeInPieces } from './write-in-pieces.ts'
