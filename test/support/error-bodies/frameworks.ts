import type { ErrorSample } from './sample.ts';

const soap = (fault: string) =>
  `<?xml version="1.0"?><soapenv:Envelope xmlns:soapenv="http://schemas.xmlsoap.org/soap/envelope/"><soapenv:Body>${fault}</soapenv:Body></soapenv:Envelope>`;

/** The shapes of frameworks, standards and servers, which thousands of APIs share. */
export const frameworks: readonly ErrorSample[] = [
  {
    api: 'RFC 9457',
    status: 422,
    type: 'application/problem+json',
    body: {
      type: 'https://example.net/validation-error',
      title: 'Your request is not valid.',
      errors: [
        { detail: 'must be a positive integer', pointer: '#/age' },
        { detail: "must be 'green', 'red' or 'blue'", pointer: '#/profile/color' },
      ],
    },
    says: ['#/age', 'must be a positive integer', '#/profile/color', "must be 'green'", 'validation-error'],
  },
  {
    api: 'RFC 7807',
    status: 400,
    type: 'application/problem+json',
    body: {
      type: 'https://example.net/validation-error',
      title: "Your request parameters didn't validate.",
      'invalid-params': [
        { name: 'age', reason: 'must be a positive integer' },
        { name: 'color', reason: "must be 'green' or 'red'" },
      ],
    },
    says: ['age', 'must be a positive integer', 'color', "must be 'green'"],
  },
  {
    api: 'RFC 7807 XML',
    status: 403,
    type: 'application/problem+xml',
    body: '<?xml version="1.0" encoding="UTF-8"?><problem xmlns="urn:ietf:rfc:7807"><type>https://example.com/probs/out-of-credit</type><title>You do not have enough credit.</title><detail>Your current balance is 30, but that costs 50.</detail><balance>30</balance></problem>',
    says: ['out-of-credit', 'not have enough credit', 'that costs 50', 'balance'],
  },
  {
    api: 'Laravel',
    status: 422,
    body: {
      message: 'The given data was invalid.',
      errors: {
        email: ['The email field is required.'],
        'items.0.qty': ['The items.0.qty must be at least 1.'],
      },
    },
    says: ['email', 'The email field is required', 'items.0.qty', 'must be at least 1'],
  },
  {
    api: 'Laravel',
    status: 422,
    body: {
      message: 'The message field is required.',
      errors: { message: ['The message field is required.'] },
    },
    says: ['message', 'field is required'],
  },
  {
    api: 'Symfony',
    status: 422,
    type: 'application/problem+json',
    body: {
      type: 'https://symfony.example/errors/validation',
      title: 'Validation Failed',
      detail: 'name: This value should not be blank.',
      violations: [
        {
          propertyPath: 'name',
          title: 'This value should not be blank.',
          parameters: { '{{ value }}': '""' },
          type: 'urn:uuid:c1051bb4',
        },
      ],
    },
    says: ['name', 'should not be blank', 'urn:uuid:c1051bb4', 'Validation Failed'],
  },
  {
    api: 'ASP.NET Core',
    status: 400,
    type: 'application/problem+json',
    body: {
      type: 'https://tools.example/rfc9110',
      title: 'One or more validation errors occurred.',
      status: 400,
      errors: {
        '$.age': ['The JSON value could not be converted to System.Int32.'],
        Name: ['The Name field is required.'],
      },
      traceId: '00-1',
    },
    says: ['$.age', 'could not be converted to System.Int32', 'Name', 'field is required'],
  },
  {
    api: 'ASP.NET Web API',
    status: 400,
    body: {
      Message: 'The request is invalid.',
      ModelState: { 'order.Quantity': ['The field Quantity must be between 1 and 5.'] },
    },
    says: ['order.Quantity', 'must be between 1 and 5', 'The request is invalid'],
  },
  {
    api: 'FastAPI',
    status: 422,
    body: {
      detail: [
        {
          type: 'missing',
          loc: ['body', 'items', 0, 'price'],
          msg: 'Field required',
          input: { name: 'x' },
          url: 'https://docs.example',
        },
      ],
    },
    says: ['body.items[0].price', 'Field required', 'missing'],
  },
  {
    api: 'FastAPI',
    status: 404,
    body: { detail: 'Item 7 is in the trash' },
    says: ['Item 7 is in the trash'],
  },
  {
    api: 'Django REST framework',
    status: 400,
    body: {
      email: ['Enter a valid email address.'],
      profile: { age: ['A valid integer is required.'] },
      items: [{}, { qty: ['Ensure this value is greater than 0.'] }],
      non_field_errors: ['Dates overlap.'],
    },
    says: [
      'email',
      'Enter a valid email address',
      'profile.age',
      'A valid integer is required',
      'items[1].qty',
      'greater than 0',
      'Dates overlap',
    ],
  },
  {
    api: 'Django REST framework',
    status: 400,
    body: { message: ['This field is required.'] },
    says: ['message', 'This field is required'],
  },
  {
    api: 'Django Ninja',
    status: 422,
    body: {
      detail: [{ loc: ['query', 'limit'], msg: 'value is not a valid integer', type: 'type_error.integer' }],
    },
    says: ['query.limit', 'not a valid integer', 'type_error.integer'],
  },
  {
    api: 'Flask (marshmallow)',
    status: 422,
    body: {
      code: 422,
      errors: { json: { quantity: ['Not a valid integer.'] } },
      status: 'Unprocessable Entity',
    },
    says: ['json.quantity', 'Not a valid integer'],
  },
  {
    api: 'Ruby on Rails',
    status: 422,
    body: {
      errors: [
        {
          attribute: 'name',
          type: 'too_short',
          message: 'is too short (minimum is 3 characters)',
          options: { count: 3 },
        },
      ],
    },
    says: ['name', 'too_short', 'is too short (minimum is 3 characters)'],
  },
  {
    api: 'Ruby on Rails',
    status: 422,
    body: { name: ["can't be blank"], title: ['is too long'] },
    says: ['name', "can't be blank", 'title', 'is too long'],
  },
  {
    api: 'Spring Boot',
    status: 400,
    body: {
      timestamp: '2026-01-01T00:00:00.000+00:00',
      status: 400,
      error: 'Bad Request',
      message: "Validation failed for object='order'. Error count: 1",
      errors: [
        {
          codes: ['Min.order.quantity', 'Min'],
          arguments: [
            { codes: ['order.quantity', 'quantity'], defaultMessage: 'quantity', code: 'quantity' },
            1,
          ],
          defaultMessage: 'must be greater than or equal to 1',
          objectName: 'order',
          field: 'quantity',
          rejectedValue: 0,
          bindingFailure: false,
          code: 'Min',
        },
      ],
      path: '/orders',
    },
    says: ['quantity', 'must be greater than or equal to 1', 'Min', '/orders'],
  },
  {
    api: 'Spring Boot',
    status: 500,
    body: {
      timestamp: 1700000000000,
      status: 500,
      error: 'Internal Server Error',
      exception: 'java.lang.IllegalStateException',
      message: 'No stock for SKU 7',
      trace: `java.lang.IllegalStateException: No stock\n${'\tat com.example.Foo.bar(Foo.java:1)\n'.repeat(500)}`,
      path: '/x',
    },
    says: ['No stock for SKU 7', 'IllegalStateException'],
  },
  {
    api: 'Quarkus',
    status: 400,
    body: {
      title: 'Constraint Violation',
      status: 400,
      violations: [{ field: 'create.dto.name', message: 'must not be blank' }],
    },
    says: ['create.dto.name', 'must not be blank'],
  },
  {
    api: 'Micronaut',
    status: 400,
    body: {
      message: 'Bad Request',
      _links: { self: { href: '/books', templated: false } },
      _embedded: { errors: [{ message: 'book.title: must not be blank' }] },
    },
    says: ['book.title: must not be blank'],
  },
  {
    api: 'NestJS',
    status: 400,
    body: {
      statusCode: 400,
      message: ['email must be an email', 'password should not be empty'],
      error: 'Bad Request',
    },
    says: ['email must be an email', 'password should not be empty'],
  },
  {
    api: 'Express (celebrate)',
    status: 400,
    body: {
      statusCode: 400,
      error: 'Bad Request',
      message: 'Validation failed',
      validation: { body: { source: 'body', keys: ['name'], message: '"name" is required' } },
    },
    says: ['"name" is required', 'Validation failed'],
  },
  {
    api: 'express-validator',
    status: 400,
    body: { errors: [{ type: 'field', value: 'x', msg: 'Invalid value', path: 'email', location: 'body' }] },
    says: ['email', 'Invalid value', 'body'],
  },
  {
    api: 'Fastify',
    status: 400,
    body: {
      statusCode: 400,
      code: 'FST_ERR_VALIDATION',
      error: 'Bad Request',
      message: "body must have required property 'name'",
    },
    says: ['FST_ERR_VALIDATION', "required property 'name'"],
  },
  {
    api: 'Ajv',
    status: 400,
    body: [
      {
        instancePath: '/items/0',
        schemaPath: '#/required',
        keyword: 'required',
        params: { missingProperty: 'sku' },
        message: "must have required property 'sku'",
      },
    ],
    says: ['/items/0', 'required', "must have required property 'sku'"],
  },
  {
    api: 'Zod',
    status: 400,
    body: {
      success: false,
      error: {
        issues: [
          {
            code: 'invalid_type',
            expected: 'string',
            received: 'undefined',
            path: ['user', 'emails', 0],
            message: 'Required',
          },
        ],
        name: 'ZodError',
      },
    },
    says: ['user.emails[0]', 'invalid_type', 'Required', 'expected: string'],
  },
  {
    api: 'Zod (format)',
    status: 400,
    body: { _errors: [], name: { _errors: ['Too short'] }, tags: { 0: { _errors: ['Expected string'] } } },
    says: ['name', 'Too short', 'tags[0]', 'Expected string'],
  },
  {
    api: 'Mongoose',
    status: 400,
    body: {
      errors: {
        email: {
          name: 'ValidatorError',
          message: 'Path `email` is required.',
          properties: { message: 'Path `email` is required.', type: 'required', path: 'email' },
          kind: 'required',
          path: 'email',
        },
      },
      _message: 'User validation failed',
      name: 'ValidationError',
      message: 'User validation failed: email: Path `email` is required.',
    },
    says: ['email', 'is required', 'required', 'ValidationError'],
  },
  {
    api: 'Strapi',
    status: 400,
    body: {
      data: null,
      error: {
        status: 400,
        name: 'ValidationError',
        message: '2 errors occurred',
        details: {
          errors: [
            { path: ['title'], message: 'title must be defined.', name: 'ValidationError' },
            { path: ['seo', 'slug'], message: 'slug must be unique', name: 'ValidationError' },
          ],
        },
      },
    },
    says: ['title must be defined', 'seo.slug', 'slug must be unique', 'ValidationError'],
  },
  {
    api: 'Directus',
    status: 400,
    body: {
      errors: [
        {
          message: 'Value for field "sku" has to be unique.',
          extensions: { collection: 'products', field: 'sku', code: 'RECORD_NOT_UNIQUE' },
        },
      ],
    },
    says: ['sku', 'has to be unique', 'RECORD_NOT_UNIQUE', 'products'],
  },
  {
    api: 'JSON:API',
    status: 422,
    type: 'application/vnd.api+json',
    body: {
      jsonapi: { version: '1.1' },
      errors: [
        {
          code: '123',
          source: { pointer: '/data/attributes/firstName' },
          title: 'Value is too short',
          detail: 'First name must contain at least two characters.',
        },
        {
          source: { parameter: 'include' },
          title: 'Invalid Query Parameter',
          detail: 'The resource does not have an `author` relationship path.',
        },
      ],
    },
    says: [
      '/data/attributes/firstName',
      '123',
      'Value is too short',
      'at least two characters',
      'include',
      'Invalid Query Parameter',
    ],
  },
  {
    api: 'OData v4',
    status: 400,
    type: 'application/json;odata.metadata=minimal',
    body: {
      error: {
        code: '501',
        message: 'Unsupported functionality',
        target: 'query',
        details: [{ code: '301', target: '$search', message: '$search query option not supported' }],
        innererror: { trace: [], context: {} },
      },
    },
    says: ['501', 'Unsupported functionality', '$search', 'query option not supported', '301'],
  },
  {
    api: 'OData v3 (SharePoint)',
    status: 400,
    type: 'application/json;odata=nometadata',
    body: {
      'odata.error': {
        code: '-1, Microsoft.SharePoint.Client.InvalidClientQueryException',
        message: { lang: 'en-US', value: "The property 'Titel' does not exist on type 'SP.Data.ListItem'." },
      },
    },
    says: ['InvalidClientQueryException', "The property 'Titel' does not exist"],
  },
  {
    api: 'SAP OData v2',
    status: 400,
    body: {
      error: {
        code: 'SY/530',
        message: { lang: 'en', value: 'Property Quantity at offset 12 is invalid' },
        innererror: {
          application: { component_id: 'SD' },
          transactionid: 't',
          errordetails: [
            {
              code: '/IWBEP/CM',
              message: 'Enter a quantity',
              propertyref: '/Items(1)/Quantity',
              severity: 'error',
            },
          ],
        },
      },
    },
    says: [
      'SY/530',
      'Property Quantity at offset 12 is invalid',
      '/Items(1)/Quantity',
      'Enter a quantity',
      '/IWBEP/CM',
    ],
  },
  {
    api: 'OData Atom',
    status: 404,
    type: 'application/xml',
    body: '<?xml version="1.0" encoding="utf-8"?><m:error xmlns:m="http://docs.example/metadata"><m:code>DM/5</m:code><m:message xml:lang="en">Resource not found for the segment \'Ordrs\'.</m:message></m:error>',
    says: ['DM/5', "segment 'Ordrs'"],
  },
  {
    api: 'SOAP 1.1',
    status: 500,
    type: 'text/xml; charset=utf-8',
    body: soap(
      '<soapenv:Fault><faultcode>soapenv:Client</faultcode><faultstring>Validation error</faultstring><detail><ns:validation xmlns:ns="urn:x"><ns:field>postalCode</ns:field><ns:message>must have five digits</ns:message><ns:code>V-12</ns:code></ns:validation></detail></soapenv:Fault>',
    ),
    says: ['soapenv:Client', 'Validation error', 'postalCode', 'must have five digits', 'V-12'],
  },
  {
    api: 'SOAP 1.2',
    status: 400,
    type: 'application/soap+xml',
    body: '<env:Envelope xmlns:env="http://www.w3.org/2003/05/soap-envelope"><env:Body><env:Fault><env:Code><env:Value>env:Sender</env:Value><env:Subcode><env:Value>rpc:BadArguments</env:Value></env:Subcode></env:Code><env:Reason><env:Text xml:lang="en-US">Processing error</env:Text></env:Reason><env:Detail><e:myFault xmlns:e="urn:t"><e:message>Name does not match card number</e:message><e:errorcode>999</e:errorcode></e:myFault></env:Detail></env:Fault></env:Body></env:Envelope>',
    says: ['env:Sender', 'rpc:BadArguments', 'Processing error', 'Name does not match card number', '999'],
  },
  {
    api: 'OGC WFS',
    status: 400,
    type: 'application/xml',
    body: '<ows:ExceptionReport xmlns:ows="http://www.opengis.net/ows/1.1" version="2.0.0"><ows:Exception exceptionCode="InvalidParameterValue" locator="typeName"><ows:ExceptionText>Feature type roads unknown</ows:ExceptionText></ows:Exception></ows:ExceptionReport>',
    says: ['InvalidParameterValue', 'typeName', 'Feature type roads unknown'],
  },
  {
    api: 'FHIR',
    status: 422,
    type: 'application/fhir+json',
    body: {
      resourceType: 'OperationOutcome',
      issue: [
        {
          severity: 'error',
          code: 'required',
          details: { text: 'Patient.name: minimum required = 1, but only found 0' },
          expression: ['Patient.name'],
          diagnostics: 'Missing element',
        },
      ],
    },
    says: ['required', 'Patient.name', 'minimum required = 1', 'Missing element'],
  },
  {
    api: 'SCIM',
    status: 400,
    type: 'application/scim+json',
    body: {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
      scimType: 'mutability',
      detail: "Attribute 'id' is readOnly",
      status: '400',
    },
    says: ['mutability', "Attribute 'id' is readOnly"],
  },
  {
    api: 'OAuth 2',
    status: 400,
    body: {
      error: 'invalid_request',
      error_description: 'redirect_uri is missing',
      error_uri: 'https://docs.example',
    },
    says: ['invalid_request', 'redirect_uri is missing'],
  },
  {
    api: 'OAuth 2 (form)',
    status: 400,
    type: 'application/x-www-form-urlencoded',
    body: 'error=bad_verification_code&error_description=The+code+passed+is+incorrect+or+expired.&error_uri=https%3A%2F%2Fdocs.example',
    says: ['bad_verification_code', 'The code passed is incorrect or expired'],
  },
  {
    api: 'RFC 6750',
    status: 403,
    type: 'text/plain',
    body: '',
    headers: {
      'www-authenticate':
        'Bearer realm="x", error="insufficient_scope", error_description="needs write", scope="orders:write"',
    },
    says: ['insufficient_scope', 'needs write', 'orders:write'],
  },
  {
    api: 'JSON-RPC over HTTP',
    status: 400,
    body: {
      jsonrpc: '2.0',
      id: 1,
      error: { code: -32602, message: 'Invalid params', data: { field: 'to', reason: 'is not an address' } },
    },
    says: ['-32602', 'Invalid params', 'to', 'is not an address'],
  },
  {
    api: 'gRPC gateway',
    status: 400,
    body: {
      code: 3,
      message: 'invalid CreateUserRequest.Email: value must be a valid email address',
      details: [],
    },
    says: ['3', 'CreateUserRequest.Email', 'must be a valid email address'],
  },
  {
    api: 'gRPC headers',
    status: 400,
    type: 'application/grpc',
    body: '',
    headers: { 'grpc-status': '3', 'grpc-message': 'name%3A must not be empty' },
    says: ['3', 'name: must not be empty'],
  },
  {
    api: 'Tomcat',
    status: 400,
    type: 'text/html;charset=utf-8',
    body: '<!doctype html><html lang="en"><head><title>HTTP Status 400 – Bad Request</title><style type="text/css">body {font-family:Tahoma;} h1 {color:white;}</style></head><body><h1>HTTP Status 400 – Bad Request</h1><hr class="line" /><p><b>Type</b> Status Report</p><p><b>Message</b> Required parameter &#39;page&#39; is not present.</p><p><b>Description</b> The server cannot process the request.</p></body></html>',
    says: ["Required parameter 'page' is not present", 'cannot process the request'],
  },
  {
    api: 'Apache',
    status: 404,
    type: 'text/html; charset=iso-8859-1',
    body: '<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">\n<html><head>\n<title>404 Not Found</title>\n</head><body>\n<h1>Not Found</h1>\n<p>The requested URL /v1/x was not found on this server.</p>\n</body></html>',
    says: ['/v1/x was not found'],
  },
  {
    api: 'IIS',
    status: 403,
    type: 'text/html',
    body: '<html><head><title>403 - Forbidden: Access is denied.</title><script>alert("x")</script></head><body><div id="header"><h1>Server Error</h1></div><div><fieldset><h2>403 - Forbidden: Access is denied.</h2><h3>You do not have permission to view this directory using the credentials that you supplied.</h3></fieldset></div></body></html>',
    says: ['Access is denied', 'using the credentials that you supplied'],
  },
  {
    api: 'HTML without a type',
    status: 502,
    type: 'application/octet-stream',
    body: '<html><body><h1>Upstream pool empty</h1>code UP-7</body></html>',
    says: ['Upstream pool empty', 'UP-7'],
  },
  {
    api: 'JSON as text/html',
    status: 400,
    type: 'text/html; charset=UTF-8',
    body: '{"status":"fail","data":{"title":"A title is required"}}',
    says: ['title', 'A title is required'],
  },
  {
    api: 'JSON as text/plain',
    status: 400,
    type: 'text/plain',
    body: '{"Error":{"Field":"amount","Why":"negative","No":"E17"}}',
    says: ['amount', 'negative', 'E17'],
  },
  {
    api: 'JSON as octet-stream',
    status: 400,
    type: 'application/octet-stream',
    body: '{"fieldErrors":[{"fieldName":"iban","errorKey":"iban.checksum","text":"Checksum is wrong"}]}',
    says: ['iban', 'iban.checksum', 'Checksum is wrong'],
  },
  {
    api: 'JSON without a type',
    status: 400,
    type: '',
    body: '{"message":"","reason":"slot 9 is taken","code":"SLOT"}',
    says: ['slot 9 is taken', 'SLOT'],
  },
  {
    api: 'guarded JSON',
    status: 400,
    body: ')]}\'\n{"error":{"msg":"Bad filter","arg":"status"}}',
    says: ['Bad filter', 'status'],
  },
  {
    api: 'JSON in JSON',
    status: 400,
    body: JSON.stringify(JSON.stringify({ errors: [{ field: 'sku', msg: 'unknown', code: 9 }] })),
    says: ['sku', 'unknown', '9'],
  },
  {
    api: 'AWS Lambda proxy',
    status: 500,
    body: {
      errorMessage: '{"field":"zip","error":"must be 5 digits","code":"ZIP_LEN"}',
      errorType: 'BadRequest',
      trace: [],
    },
    says: ['zip', 'must be 5 digits', 'ZIP_LEN', 'BadRequest'],
  },
  {
    api: 'JSON in a page',
    status: 400,
    type: 'text/html',
    body: '<html><head><title>Error</title></head><body><pre>{&quot;error&quot;:{&quot;field&quot;:&quot;size&quot;,&quot;reason&quot;:&quot;too big&quot;,&quot;code&quot;:&quot;MAX&quot;}}</pre></body></html>',
    says: ['size', 'too big', 'MAX'],
  },
  {
    api: 'event stream',
    status: 400,
    type: 'text/event-stream',
    body: 'event: error\ndata: {"error":{"code":"context_length","message":"prompt is too long","param":"messages"}}\n\n',
    says: ['context_length', 'prompt is too long', 'messages'],
  },
  {
    api: 'NDJSON',
    status: 400,
    type: 'application/x-ndjson',
    body: '{"line":1,"error":"missing id"}\n{"line":2,"error":"bad date","field":"due"}\n',
    says: ['missing id', 'bad date', 'due'],
  },
  {
    api: 'JSONP',
    status: 400,
    type: 'text/javascript',
    body: 'callback({"status":"INVALID_REQUEST","error_message":"Missing the \'address\' parameter"});',
    says: ['INVALID_REQUEST', "Missing the 'address' parameter"],
  },
  {
    api: 'MessagePack',
    status: 400,
    type: 'application/msgpack',
    body: '\u0083\u00a5error\u00b0name is required\u00a5field\u00a4name\u00a4code\u00a7MISSING',
    says: ['name is required', 'MISSING'],
  },
  {
    api: 'Python traceback',
    status: 500,
    type: 'text/plain',
    body: `Traceback (most recent call last):\n${'  File "app.py", line 1, in handler\n    run()\n'.repeat(300)}ValueError: unit must be "C" or "F"`,
    says: ['ValueError: unit must be "C" or "F"'],
  },
  {
    api: 'words nobody knows',
    status: 400,
    body: { schiefgelaufen: [{ feld: 'menge', grund: 'zu klein', kennung: 'M-1' }] },
    says: ['menge', 'zu klein', 'M-1'],
  },
  {
    api: 'deep wrapping',
    status: 400,
    body: {
      response: {
        status: {
          body: { result: { errors: { error: { field: 'qty', message: 'too small', code: 'MIN' } } } },
        },
      },
    },
    says: ['qty', 'too small', 'MIN'],
  },
  {
    api: 'a thousand rows before the error',
    status: 400,
    body: {
      echo: Array.from({ length: 1000 }, (_, n) => ({ row: n, value: 'x'.repeat(50) })),
      message: 'Row 1000 is wrong',
      field: 'rows[1000].value',
      code: 'ROW',
    },
    says: ['Row 1000 is wrong', 'rows[1000].value', 'ROW'],
  },
];
