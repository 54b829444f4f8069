import type { ErrorSample } from './sample.ts';

/** A body that was written before anyone saw what becomes of it, and what a model should be advised to do. */
export interface FreshSample extends ErrorSample {
  readonly advises: RegExp;
}

const argumentsAdvice = /Change the arguments/;
const credential = /credential stored for this API/;
const wait = /Try again in|Wait a while/;
const theirs = /on the API’s side/;

const rows = Array.from({ length: 300 }, (_, n) => n);

export const freshBodies: readonly FreshSample[] = [
  {
    api: 'Stripe, unknown parameter',
    status: 400,
    body: {
      error: {
        code: 'parameter_unknown',
        doc_url: 'https://stripe.example/docs/error-codes/parameter-unknown',
        message: 'Received unknown parameter: custmer',
        param: 'custmer',
        request_log_url: 'https://dashboard.stripe.example/logs/req_1',
        type: 'invalid_request_error',
      },
    },
    says: ['custmer', 'Received unknown parameter', 'parameter_unknown'],
    advises: argumentsAdvice,
  },
  {
    api: 'Stripe, idempotency',
    status: 409,
    body: {
      error: {
        type: 'idempotency_error',
        message:
          'Keys for idempotent requests can only be used with the same parameters they were first used with.',
      },
    },
    says: ['Keys for idempotent requests', 'idempotency_error'],
    advises: /conflicts with the current state/,
  },
  {
    api: 'GitHub, already exists',
    status: 422,
    body: {
      message: 'Validation Failed',
      errors: [{ resource: 'Label', code: 'already_exists', field: 'name' }],
      documentation_url: 'https://docs.github.example/rest/issues/labels#create-a-label',
      status: '422',
    },
    says: ['name', 'already_exists', 'Label', 'Validation Failed'],
    advises: argumentsAdvice,
  },
  {
    api: 'GitHub, secondary limit',
    status: 403,
    headers: { 'retry-after': '60' },
    body: {
      message: 'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
    },
    says: ['secondary rate limit'],
    advises: /Try again in 60 s/,
  },
  {
    api: 'Zod, flattened',
    status: 400,
    body: {
      formErrors: [],
      fieldErrors: { email: ['Invalid email'], age: ['Expected number, received string'] },
    },
    says: ['email: Invalid email', 'age: Expected number, received string'],
    advises: argumentsAdvice,
  },
  {
    api: 'Zod, issues in a body',
    status: 400,
    body: {
      success: false,
      error: {
        name: 'ZodError',
        issues: [
          {
            code: 'too_small',
            minimum: 1,
            type: 'string',
            inclusive: true,
            exact: false,
            message: 'String must contain at least 1 character(s)',
            path: ['lines', 4, 'sku'],
          },
        ],
      },
    },
    says: ['lines[4].sku', 'String must contain at least 1 character(s)', 'too_small'],
    advises: argumentsAdvice,
  },
  {
    api: 'Zod, message as JSON text',
    status: 400,
    body: {
      name: 'ZodError',
      message:
        '[{"code":"invalid_type","expected":"string","received":"undefined","path":["title"],"message":"Required"}]',
    },
    says: ['title', 'Required', 'invalid_type'],
    advises: argumentsAdvice,
  },
  {
    api: 'FastAPI, a row of a list',
    status: 422,
    body: {
      detail: [
        {
          type: 'greater_than',
          loc: ['body', 'rows', 17, 'amount'],
          msg: 'Input should be greater than 0',
          input: -3,
          ctx: { gt: 0 },
          url: 'https://errors.pydantic.example/2/v/greater_than',
        },
      ],
    },
    says: ['rows[17].amount', 'Input should be greater than 0', 'greater_than'],
    advises: argumentsAdvice,
  },
  {
    api: 'FastAPI, 300 rows',
    status: 422,
    body: {
      detail: rows.map((n) => ({
        type: 'missing',
        loc: ['body', n, 'email'],
        msg: 'Field required',
        input: { name: `person ${n}` },
      })),
    },
    says: ['[0–299].email', 'Field required'],
    advises: argumentsAdvice,
  },
  {
    api: 'A bulk insert, 300 rows',
    status: 400,
    body: { errors: rows.map((n) => ({ row: n + 1, field: 'price', message: 'must be greater than 0' })) },
    says: ['row 1–300, price', 'must be greater than 0'],
    advises: argumentsAdvice,
  },
  {
    api: 'Pydantic, text',
    status: 400,
    type: 'text/plain',
    body: '2 validation errors for Order\nqty\n  Input should be a valid integer [type=int_parsing, input_value="x"]\nsku\n  Field required [type=missing]',
    says: ['qty', 'Input should be a valid integer', 'sku', 'Field required'],
    advises: argumentsAdvice,
  },
  {
    api: 'Spring, binding errors',
    status: 400,
    body: {
      timestamp: '2026-11-18T20:00:00.000+00:00',
      status: 400,
      error: 'Bad Request',
      message: "Validation failed for object='orderDto'. Error count: 1",
      errors: [
        {
          codes: ['Size.orderDto.note', 'Size.note', 'Size'],
          arguments: [{ codes: ['orderDto.note', 'note'], defaultMessage: 'note', code: 'note' }, 80, 0],
          defaultMessage: 'size must be between 0 and 80',
          objectName: 'orderDto',
          field: 'note',
          rejectedValue: 'xxxxx',
          bindingFailure: false,
          code: 'Size',
        },
      ],
      path: '/orders',
    },
    says: ['note', 'size must be between 0 and 80'],
    advises: argumentsAdvice,
  },
  {
    api: 'Spring, problem detail',
    status: 404,
    type: 'application/problem+json',
    body: {
      type: 'about:blank',
      title: 'Not Found',
      status: 404,
      detail: 'No order 4711.',
      instance: '/orders/4711',
    },
    says: ['No order 4711'],
    advises: /Check the arguments that name/,
  },
  {
    api: 'Rails, errors by field',
    status: 422,
    body: { errors: { title: ["can't be blank"], 'line_items.quantity': ['must be greater than 0'] } },
    says: ["title: can't be blank", 'line_items.quantity: must be greater than 0'],
    advises: argumentsAdvice,
  },
  {
    api: 'Rails, fields at the top',
    status: 422,
    body: { email: ['has already been taken'], base: ['Team is full'] },
    says: ['email: has already been taken', 'Team is full'],
    advises: argumentsAdvice,
  },
  {
    api: 'Laravel, nested rows',
    status: 422,
    body: {
      message: 'The items.2.price field is required. (and 1 more error)',
      errors: {
        'items.2.price': ['The items.2.price field is required.'],
        'items.5.sku': ['The selected items.5.sku is invalid.'],
      },
    },
    says: ['items.2.price', 'field is required', 'items.5.sku', 'is invalid'],
    advises: argumentsAdvice,
  },
  {
    api: 'Laravel, no token',
    status: 401,
    body: { message: 'Unauthenticated.' },
    says: ['Unauthenticated'],
    advises: credential,
  },
  {
    api: 'ASP.NET, JSON that does not parse',
    status: 400,
    type: 'application/problem+json; charset=utf-8',
    body: {
      type: 'https://tools.ietf.example/html/rfc9110#section-15.5.1',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: {
        '$.dueDate': [
          'The JSON value could not be converted to System.DateTime. Path: $.dueDate | LineNumber: 0.',
        ],
      },
      traceId: '00-0af7651916cd43dd8448eb211c80319c-00',
    },
    says: ['dueDate', 'could not be converted to System.DateTime'],
    advises: argumentsAdvice,
  },
  {
    api: 'ASP.NET, headline only',
    status: 422,
    type: 'application/problem+json',
    body: {
      title: 'Unprocessable Content',
      status: 422,
      errors: [{ name: 'Iban', reason: 'The check digits are wrong.' }],
    },
    says: ['Iban', 'The check digits are wrong.'],
    advises: argumentsAdvice,
  },
  {
    api: 'Google, disabled API',
    status: 403,
    body: {
      error: {
        code: 403,
        message: 'Cloud Vision API has not been used in project 12 before or it is disabled.',
        status: 'PERMISSION_DENIED',
        details: [
          {
            '@type': 'type.googleapis.com/google.rpc.ErrorInfo',
            reason: 'SERVICE_DISABLED',
            domain: 'googleapis.com',
            metadata: { service: 'vision.googleapis.com' },
          },
        ],
      },
    },
    says: ['has not been used in project 12', 'SERVICE_DISABLED'],
    advises: credential,
  },
  {
    api: 'Google, quota',
    status: 429,
    body: {
      error: {
        code: 429,
        message: "Quota exceeded for quota metric 'Read requests'.",
        status: 'RESOURCE_EXHAUSTED',
        details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }],
      },
    },
    says: ['Quota exceeded'],
    advises: /Try again in 17 s/,
  },
  {
    api: 'Google, legacy errors',
    status: 400,
    body: {
      error: {
        errors: [
          {
            domain: 'calendar',
            reason: 'timeRangeEmpty',
            message: 'The specified time range is empty.',
            locationType: 'parameter',
            location: 'timeMax',
          },
        ],
        code: 400,
        message: 'The specified time range is empty.',
      },
    },
    says: ['timeMax', 'The specified time range is empty', 'timeRangeEmpty'],
    advises: argumentsAdvice,
  },
  {
    api: 'AWS Query, throttled',
    status: 400,
    type: 'text/xml',
    body: '<ErrorResponse xmlns="https://iam.example/doc/2010-05-08/"><Error><Type>Sender</Type><Code>Throttling</Code><Message>Rate exceeded</Message></Error><RequestId>a-b-c</RequestId></ErrorResponse>',
    says: ['Rate exceeded', 'Throttling'],
    advises: wait,
  },
  {
    api: 'AWS JSON, throttled',
    status: 400,
    type: 'application/x-amz-json-1.0',
    body: {
      __type: 'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
      message: 'The level of configured provisioned throughput for the table was exceeded.',
    },
    says: ['ProvisionedThroughputExceededException', 'provisioned throughput'],
    advises: wait,
  },
  {
    api: 'AWS JSON, too many requests',
    status: 400,
    headers: { 'x-amzn-errortype': 'TooManyRequestsException' },
    body: { message: 'Please slow down.' },
    says: ['TooManyRequestsException', 'Please slow down'],
    advises: wait,
  },
  {
    api: 'AWS JSON, validation',
    status: 400,
    type: 'application/x-amz-json-1.1',
    body: {
      __type: 'ValidationException',
      message:
        "1 validation error detected: Value '0' at 'maxResults' failed to satisfy constraint: Member must have value greater than or equal to 1",
    },
    says: ["'maxResults'", 'greater than or equal to 1', 'ValidationException'],
    advises: argumentsAdvice,
  },
  {
    api: 'S3, no bucket',
    status: 404,
    type: 'application/xml',
    body: '<?xml version="1.0"?><Error><Code>NoSuchBucket</Code><Message>The specified bucket does not exist</Message><BucketName>reports-q3</BucketName><RequestId>1</RequestId><HostId>h</HostId></Error>',
    says: ['NoSuchBucket', 'The specified bucket does not exist', 'reports-q3'],
    advises: /Check the arguments that name/,
  },
  {
    api: 'S3, signature',
    status: 403,
    type: 'application/xml',
    body: '<Error><Code>SignatureDoesNotMatch</Code><Message>The request signature we calculated does not match the signature you provided.</Message></Error>',
    says: ['SignatureDoesNotMatch'],
    advises: credential,
  },
  {
    api: 'Azure, nested details',
    status: 400,
    body: {
      error: {
        code: 'InvalidTemplateDeployment',
        message: 'The template deployment failed.',
        details: [
          {
            code: 'SkuNotAvailable',
            target: 'vmSize',
            message: 'The requested size is not available in location westeurope.',
          },
        ],
      },
    },
    says: ['vmSize', 'The requested size is not available in location westeurope', 'SkuNotAvailable'],
    advises: argumentsAdvice,
  },
  {
    api: 'Azure, server busy',
    status: 503,
    headers: { 'x-ms-retry-after-ms': '4000' },
    body: { error: { code: 'ServerBusy', message: 'The server is currently unable to receive requests.' } },
    says: ['ServerBusy', 'unable to receive requests'],
    advises: /Try again in 4 s/,
  },
  {
    api: 'Twilio, unverified number',
    status: 400,
    body: {
      code: 21608,
      message: 'The number +15550001111 is unverified.',
      more_info: 'https://www.twilio.example/docs/errors/21608',
      status: 400,
    },
    says: ['21608', 'The number +15550001111 is unverified'],
    advises: argumentsAdvice,
  },
  {
    api: 'Salesforce, required fields',
    status: 400,
    body: [
      {
        message: 'Required fields are missing: [LastName, Company]',
        errorCode: 'REQUIRED_FIELD_MISSING',
        fields: ['LastName', 'Company'],
      },
    ],
    says: ['LastName', 'Company', 'REQUIRED_FIELD_MISSING'],
    advises: argumentsAdvice,
  },
  {
    api: 'Salesforce, session',
    status: 401,
    body: [{ message: 'Session expired or invalid', errorCode: 'INVALID_SESSION_ID' }],
    says: ['Session expired or invalid', 'INVALID_SESSION_ID'],
    advises: credential,
  },
  {
    api: 'SAP OData V2',
    status: 400,
    body: {
      error: {
        code: 'SY/530',
        message: { lang: 'en', value: 'Material 4711 is blocked for procurement' },
        innererror: {
          transactionid: 'A1',
          errordetails: [
            {
              code: 'ME/083',
              message: 'Enter a delivery date',
              propertyref: 'DeliveryDate',
              severity: 'error',
              target: '',
            },
          ],
        },
      },
    },
    says: ['Material 4711 is blocked for procurement', 'SY/530', 'DeliveryDate', 'Enter a delivery date'],
    advises: argumentsAdvice,
  },
  {
    api: 'OData, precondition',
    status: 412,
    body: { error: { code: 'UpdateConditionNotSatisfied', message: 'The ETag does not match.' } },
    says: ['UpdateConditionNotSatisfied', 'The ETag does not match'],
    advises: /read it again/,
  },
  {
    api: 'Jira, errors by field',
    status: 400,
    body: {
      errorMessages: [],
      errors: { customfield_10011: 'Epic Name is required.', priority: 'Priority is not valid.' },
    },
    says: ['customfield_10011: Epic Name is required', 'priority: Priority is not valid'],
    advises: argumentsAdvice,
  },
  {
    api: 'Jira, no permission',
    status: 403,
    body: { errorMessages: ['You do not have the permission to see the specified issue.'], errors: {} },
    says: ['You do not have the permission'],
    advises: credential,
  },
  {
    api: 'Elasticsearch, mapping',
    status: 400,
    body: {
      error: {
        root_cause: [
          {
            type: 'document_parsing_exception',
            reason: '[1:15] failed to parse field [when] of type [date]',
          },
        ],
        type: 'document_parsing_exception',
        reason: '[1:15] failed to parse field [when] of type [date]',
        caused_by: { type: 'illegal_argument_exception', reason: 'failed to parse date field [soon]' },
      },
      status: 400,
    },
    says: [
      'failed to parse field [when] of type [date]',
      'failed to parse date field [soon]',
      'document_parsing_exception',
    ],
    advises: argumentsAdvice,
  },
  {
    api: 'PostgREST, constraint',
    status: 409,
    body: {
      code: '23505',
      details: 'Key (email)=(a@b.example) already exists.',
      hint: null,
      message: 'duplicate key value violates unique constraint "people_email_key"',
    },
    says: ['23505', 'Key (email)=(a@b.example) already exists', 'people_email_key'],
    advises: /conflicts with the current state/,
  },
  {
    api: 'GraphQL, bad input',
    status: 400,
    body: {
      errors: [
        {
          message:
            'Variable "$input" got invalid value "x" at "input.count"; Int cannot represent non-integer value.',
          locations: [{ line: 1, column: 20 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    },
    says: ['input.count', 'Int cannot represent non-integer value', 'BAD_USER_INPUT'],
    advises: argumentsAdvice,
  },
  {
    api: 'GraphQL with status 200',
    status: 200,
    body: {
      data: null,
      errors: [
        { message: 'Not authorized to view payroll', path: ['payroll'], extensions: { code: 'FORBIDDEN' } },
      ],
    },
    says: ['payroll', 'Not authorized to view payroll', 'FORBIDDEN'],
    advises: credential,
  },
  {
    api: 'Slack, limited',
    status: 429,
    headers: { 'retry-after': '12' },
    body: { ok: false, error: 'ratelimited' },
    says: ['ratelimited'],
    advises: /Try again in 12 s/,
  },
  {
    api: 'Slack with status 200',
    status: 200,
    body: {
      ok: false,
      error: 'invalid_blocks',
      response_metadata: { messages: ['[ERROR] missing required field: text [json-pointer:/blocks/3/text]'] },
    },
    says: ['invalid_blocks', '/blocks/3/text', 'missing required field'],
    advises: argumentsAdvice,
  },
  {
    api: 'Shopify, user errors',
    status: 200,
    body: {
      data: {
        productCreate: {
          product: null,
          userErrors: [{ field: ['input', 'variants', '2', 'price'], message: 'Price must be positive' }],
        },
      },
      extensions: { cost: { requestedQueryCost: 10 } },
    },
    says: ['input.variants[2].price', 'Price must be positive'],
    advises: argumentsAdvice,
  },
  {
    api: 'JSON:API, two sources',
    status: 422,
    type: 'application/vnd.api+json',
    body: {
      errors: [
        {
          status: '422',
          title: 'Unprocessable Content',
          detail: 'is too short',
          source: { pointer: '/data/attributes/password' },
        },
        {
          status: '422',
          title: 'Unprocessable Content',
          detail: 'is not known',
          source: { parameter: 'include' },
        },
      ],
    },
    says: ['/data/attributes/password', 'is too short', 'include', 'is not known'],
    advises: argumentsAdvice,
  },
  {
    api: 'HAL with embedded errors',
    status: 400,
    type: 'application/vnd.error+json',
    body: {
      message: 'Validation failed',
      total: 1,
      logref: 'l-1',
      _links: { about: { href: '/errors' } },
      _embedded: { errors: [{ path: '/username', message: 'must not contain spaces' }] },
    },
    says: ['/username', 'must not contain spaces', 'Validation failed'],
    advises: argumentsAdvice,
  },
  {
    api: 'gRPC gateway',
    status: 400,
    body: {
      code: 3,
      message: 'invalid page token',
      details: [
        {
          '@type': 'type.googleapis.com/google.rpc.BadRequest',
          fieldViolations: [{ field: 'page_token', description: 'is malformed' }],
        },
      ],
    },
    says: ['page_token', 'is malformed', 'invalid page token'],
    advises: argumentsAdvice,
  },
  {
    api: 'gRPC trailers with status 200',
    status: 200,
    type: 'application/grpc-web+json',
    headers: { 'grpc-status': '5', 'grpc-message': 'order%204711%20not%20found' },
    body: '',
    says: ['order 4711 not found'],
    advises: /Check the arguments|Change the arguments/,
  },
  {
    api: 'SOAP 1.2',
    status: 500,
    type: 'application/soap+xml',
    body: '<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><env:Fault><env:Code><env:Value>env:Sender</env:Value></env:Code><env:Reason><env:Text xml:lang="en">VAT number is malformed</env:Text></env:Reason></env:Fault></env:Body></env:Envelope>',
    says: ['VAT number is malformed', 'Sender'],
    advises: argumentsAdvice,
  },
  {
    api: 'SOAP fault with status 200',
    status: 200,
    type: 'text/xml',
    body: '<soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/"><soap:Body><soap:Fault><faultcode>soap:Client</faultcode><faultstring>Unknown customer 12</faultstring></soap:Fault></soap:Body></soap:Envelope>',
    says: ['Unknown customer 12', 'Client'],
    advises: argumentsAdvice,
  },
  {
    api: 'nginx',
    status: 413,
    type: 'text/html',
    body: '<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>\r\n<center><h1>413 Request Entity Too Large</h1></center>\r\n<hr><center>nginx/1.25.3</center>\r\n</body>\r\n</html>',
    says: ['Request Entity Too Large'],
    advises: /Send less at once/,
  },
  {
    api: 'Tomcat',
    status: 500,
    type: 'text/html',
    body: '<!doctype html><html><head><title>HTTP Status 500 – Internal Server Error</title></head><body><h1>HTTP Status 500</h1><p><b>Message</b> could not execute statement [ORA-00001]</p><pre>org.hibernate.X\n at a.b(C.java:1)</pre></body></html>',
    says: ['could not execute statement [ORA-00001]'],
    advises: theirs,
  },
  {
    api: 'Cloudflare firewall',
    status: 403,
    type: 'text/html; charset=UTF-8',
    headers: { server: 'cloudflare', 'cf-ray': '8a1-FRA' },
    body: '<!DOCTYPE html><html><head><title>Attention Required! | Cloudflare</title></head><body><h1>Sorry, you have been blocked</h1><h2>You are unable to access api.shop.example</h2><p>Cloudflare Ray ID: 8a1</p></body></html>',
    says: ['you have been blocked'],
    advises: /firewall in front of the API/,
  },
  {
    api: 'Akamai',
    status: 403,
    type: 'text/html',
    body: '<HTML><HEAD><TITLE>Access Denied</TITLE></HEAD><BODY><H1>Access Denied</H1>You don\'t have permission to access "http&#58;&#47;&#47;api&#46;shop" on this server.<P>Reference&#32;&#35;18&#46;2f</BODY></HTML>',
    says: ['Access Denied'],
    advises: /firewall in front of the API/,
  },
  {
    api: 'Cloudflare, origin down',
    status: 522,
    type: 'text/plain',
    body: 'error code: 522',
    says: ['522'],
    advises: theirs,
  },
  {
    api: 'Express',
    status: 404,
    type: 'text/html',
    body: '<!DOCTYPE html><html><body><pre>Cannot POST /v2/ordrs</pre></body></html>',
    says: ['Cannot POST /v2/ordrs'],
    advises: /does not know the address/,
  },
  {
    api: 'Plain text',
    status: 409,
    type: 'text/plain',
    body: 'Invoice 88 is already paid.',
    says: ['Invoice 88 is already paid'],
    advises: /conflicts with the current state/,
  },
  {
    api: 'DRF, nested rows',
    status: 400,
    body: {
      items: [{}, {}, { quantity: ['A valid integer is required.'] }],
      non_field_errors: ['Totals differ.'],
    },
    says: ['items[2].quantity', 'A valid integer is required', 'Totals differ'],
    advises: argumentsAdvice,
  },
  {
    api: 'Meta, expired token',
    status: 400,
    body: {
      error: {
        message: 'Error validating access token: Session has expired on Monday.',
        type: 'OAuthException',
        code: 190,
        error_subcode: 463,
        fbtrace_id: 'A',
      },
    },
    says: ['Session has expired', '190', '463'],
    advises: credential,
  },
  {
    api: 'A plan',
    status: 402,
    body: { error: { type: 'payment_required', message: 'Your plan does not include exports.' } },
    says: ['Your plan does not include exports'],
    advises: /about money|requires a payment/,
  },
  {
    api: 'HubSpot, property values',
    status: 400,
    body: {
      status: 'error',
      message:
        'Property values were not valid: [{"isValid":false,"message":"Email address nope is invalid","error":"INVALID_EMAIL","name":"email"}]',
      correlationId: 'c-1',
      category: 'VALIDATION_ERROR',
    },
    says: ['Email address nope is invalid', 'INVALID_EMAIL', 'email', 'VALIDATION_ERROR'],
    advises: argumentsAdvice,
  },
  {
    api: 'Kubernetes',
    status: 422,
    body: {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'Deployment.apps "web" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
      reason: 'Invalid',
      details: {
        name: 'web',
        kind: 'Deployment',
        causes: [
          {
            reason: 'FieldValueInvalid',
            message: 'must be greater than or equal to 0',
            field: 'spec.replicas',
          },
        ],
      },
      code: 422,
    },
    says: ['spec.replicas', 'must be greater than or equal to 0', 'FieldValueInvalid'],
    advises: argumentsAdvice,
  },
];
