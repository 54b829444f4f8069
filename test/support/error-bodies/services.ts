import type { ErrorSample } from './sample.ts';

/** APIs of databases, hosts, shops, media, people and machines, each with a way of its own. */
export const services: readonly ErrorSample[] = [
  {
    api: 'HashiCorp Vault',
    status: 400,
    body: { errors: ['1 error occurred:\n\t* invalid duration "abc" for "ttl"\n\n'] },
    says: ['invalid duration "abc"', 'ttl'],
  },
  {
    api: 'HashiCorp Vault',
    status: 403,
    body: { errors: ['permission denied'] },
    says: ['permission denied'],
  },
  {
    api: 'Consul',
    status: 400,
    type: 'text/plain; charset=utf-8',
    body: 'Request decode failed: time: invalid duration "ten" for field Interval',
    says: ['invalid duration "ten"', 'Interval'],
  },
  {
    api: 'CouchDB',
    status: 409,
    body: { error: 'conflict', reason: 'Document update conflict.' },
    says: ['conflict', 'Document update conflict'],
  },
  {
    api: 'ArangoDB',
    status: 400,
    body: {
      error: true,
      errorMessage: 'AQL: syntax error, unexpected identifier near RETRUN',
      code: 400,
      errorNum: 1501,
    },
    says: ['unexpected identifier near RETRUN', '1501'],
  },
  {
    api: 'Neo4j',
    status: 400,
    body: {
      results: [],
      errors: [
        { code: 'Neo.ClientError.Statement.SyntaxError', message: "Invalid input 'MATC': expected 'MATCH'" },
      ],
    },
    says: ['Neo.ClientError.Statement.SyntaxError', "Invalid input 'MATC'"],
  },
  {
    api: 'InfluxDB',
    status: 400,
    body: {
      code: 'invalid',
      message: 'partial write: field type conflict: input field "temp" is type string',
      line: 3,
    },
    says: ['invalid', 'field type conflict', 'temp', '3'],
  },
  {
    api: 'Prometheus',
    status: 400,
    body: {
      status: 'error',
      errorType: 'bad_data',
      error: 'invalid parameter "start": cannot parse "yesterday"',
    },
    says: ['bad_data', 'invalid parameter "start"'],
  },
  {
    api: 'Snowflake',
    status: 422,
    body: {
      code: '001003',
      message: 'SQL compilation error:\nsyntax error line 1 at position 7 unexpected FORM.',
      sqlState: '42000',
      statementHandle: '01a-b2',
    },
    says: ['001003', 'unexpected FORM', '42000'],
  },
  {
    api: 'Databricks',
    status: 400,
    body: {
      error_code: 'INVALID_PARAMETER_VALUE',
      message: 'Cluster size should be at least 1.',
      details: [],
    },
    says: ['INVALID_PARAMETER_VALUE', 'Cluster size should be at least 1'],
  },
  {
    api: 'Cohere',
    status: 400,
    body: { id: 'e1', message: 'invalid request: top_k must be between 0 and 500 inclusive.' },
    says: ['top_k must be between 0 and 500'],
  },
  {
    api: 'Replicate',
    status: 422,
    body: {
      type: '',
      title: 'Input validation failed',
      detail: '- input: prompt is required\n',
      status: 422,
      invalid_fields: [{ type: 'required', field: 'input', description: 'prompt is required' }],
    },
    says: ['Input validation failed', 'input', 'prompt is required'],
  },
  {
    api: 'Pinecone',
    status: 400,
    body: {
      code: 3,
      message: 'Vector dimension 3 does not match the dimension of the index 1536',
      details: [],
    },
    says: ['Vector dimension 3 does not match'],
  },
  {
    api: 'Weaviate',
    status: 422,
    body: { error: [{ message: "invalid object: no such prop with name 'titel' found in class 'Article'" }] },
    says: ["no such prop with name 'titel'"],
  },
  {
    api: 'Qdrant',
    status: 400,
    body: { status: { error: 'Wrong input: Vector dimension error: expected dim: 4, got 3' }, time: 0.0001 },
    says: ['Vector dimension error', 'expected dim: 4'],
  },
  {
    api: 'Typesense',
    status: 400,
    body: { message: 'Field `price` must be an int32.' },
    says: ['Field `price` must be an int32'],
  },
  {
    api: 'Meilisearch',
    status: 400,
    body: {
      message: 'Attribute `pricee` is not filterable.',
      code: 'invalid_search_filter',
      type: 'invalid_request',
      link: 'https://docs.example/errors#invalid_search_filter',
    },
    says: ['Attribute `pricee` is not filterable', 'invalid_search_filter'],
  },
  {
    api: 'Ghost',
    status: 422,
    body: {
      errors: [
        {
          message: 'Validation error, cannot save post.',
          context: 'Value in [posts.title] exceeds maximum length of 255 characters.',
          type: 'ValidationError',
          details: null,
          property: 'title',
          help: null,
          code: null,
          id: 'b7',
        },
      ],
    },
    says: ['cannot save post', 'exceeds maximum length of 255', 'title', 'ValidationError'],
  },
  {
    api: 'WordPress',
    status: 400,
    body: {
      code: 'rest_invalid_param',
      message: 'Invalid parameter(s): per_page',
      data: {
        status: 400,
        params: { per_page: 'per_page must be between 1 (inclusive) and 100 (inclusive)' },
        details: {
          per_page: { code: 'rest_out_of_bounds', message: 'per_page must be between 1 and 100', data: null },
        },
      },
    },
    says: ['rest_invalid_param', 'per_page must be between 1 (inclusive)', 'rest_out_of_bounds'],
  },
  {
    api: 'Webflow',
    status: 400,
    body: {
      message: 'Validation Error',
      code: 'validation_error',
      externalReference: null,
      details: [{ param: 'fieldData.slug', description: "Unique value is already in database: 'hello'" }],
    },
    says: ['validation_error', 'fieldData.slug', 'Unique value is already in database'],
  },
  {
    api: 'Wix',
    status: 400,
    body: {
      message: 'product.name must not be empty',
      details: {
        validationError: {
          fieldViolations: [
            { field: 'product.name', description: 'must not be empty', violatedRule: 'REQUIRED_FIELD' },
          ],
        },
      },
    },
    says: ['product.name', 'must not be empty', 'REQUIRED_FIELD'],
  },
  {
    api: 'Fastly',
    status: 400,
    body: { msg: 'Bad request', detail: "Name can't be blank" },
    says: ["Name can't be blank"],
  },
  {
    api: 'Akamai',
    status: 400,
    type: 'application/problem+json',
    body: {
      type: 'https://problems.example/json-mapping-error',
      title: 'Unable to interpret JSON',
      detail: 'Unrecognized field "hostnme"',
      instance: 'zones/1#abc',
      status: 400,
    },
    says: ['Unable to interpret JSON', 'Unrecognized field "hostnme"'],
  },
  {
    api: 'Vultr',
    status: 400,
    body: { error: 'Invalid plan. vc2-9c is not available in region ams.', status: 400 },
    says: ['vc2-9c is not available in region ams'],
  },
  {
    api: 'Hetzner Cloud',
    status: 422,
    body: {
      error: {
        code: 'invalid_input',
        message: "invalid input in field 'name'",
        details: { fields: [{ name: 'name', messages: ['is too long', 'has invalid characters'] }] },
      },
    },
    says: ['invalid_input', 'name', 'is too long', 'has invalid characters'],
  },
  {
    api: 'Scaleway',
    status: 400,
    body: {
      type: 'invalid_arguments',
      message: 'invalid argument(s)',
      details: [
        {
          argument_name: 'commercial_type',
          reason: 'constraint',
          help_message: 'must be one of DEV1-S, DEV1-M',
        },
      ],
    },
    says: ['invalid_arguments', 'commercial_type', 'constraint', 'must be one of DEV1-S'],
  },
  {
    api: 'OVHcloud',
    status: 400,
    body: {
      class: 'Client::BadRequest',
      message: '[ipLoadbalancing.port] Given data (0) is not a valid port',
    },
    says: ['ipLoadbalancing.port', 'is not a valid port', 'Client::BadRequest'],
  },
  {
    api: 'Namecheap',
    status: 400,
    type: 'text/xml; charset=utf-8',
    body: '<?xml version="1.0" encoding="utf-8"?><ApiResponse Status="ERROR" xmlns="http://api.example/xml.response"><Errors><Error Number="2019166">Domain not found: exmaple.org</Error></Errors><Warnings /><RequestedCommand>namecheap.domains.getinfo</RequestedCommand><Server>WEB1</Server></ApiResponse>',
    says: ['2019166', 'Domain not found: exmaple.org'],
  },
  {
    api: 'GoDaddy',
    status: 422,
    body: {
      code: 'INVALID_BODY',
      fields: [
        {
          code: 'MISSING_FIELD',
          message: 'is required',
          path: 'contactRegistrant.email',
          pathRelated: 'contactAdmin.email',
        },
      ],
      message: "Request body doesn't fulfill schema, see details in `fields`",
    },
    says: ['INVALID_BODY', 'MISSING_FIELD', 'contactRegistrant.email', 'is required'],
  },
  {
    api: 'ACME',
    status: 403,
    type: 'application/problem+json',
    body: {
      type: 'urn:ietf:params:acme:error:malformed',
      detail: 'Some of the identifiers requested were rejected',
      subproblems: [
        {
          type: 'urn:ietf:params:acme:error:rejectedIdentifier',
          detail: 'This CA will not issue for "example.net"',
          identifier: { type: 'dns', value: '_example.net' },
        },
      ],
    },
    says: [
      'malformed',
      'Some of the identifiers',
      'rejectedIdentifier',
      'will not issue for',
      '_example.net',
    ],
  },
  {
    api: 'Keycloak',
    status: 400,
    body: { field: 'email', errorMessage: 'error-invalid-email', params: ['email', 'nope'] },
    says: ['email', 'error-invalid-email', 'nope'],
  },
  {
    api: 'OneLogin',
    status: 422,
    body: {
      name: 'UnprocessableEntityError',
      statusCode: 422,
      message: 'Validation failed',
      field: ['Email has already been taken'],
    },
    says: ['UnprocessableEntityError', 'Email has already been taken'],
  },
  {
    api: 'Duo',
    status: 400,
    body: { stat: 'FAIL', code: 40_002, message: 'Invalid request parameters', message_detail: 'username' },
    says: ['40002', 'Invalid request parameters', 'username'],
  },
  {
    api: 'Clerk',
    status: 422,
    body: {
      errors: [
        {
          message: 'is unknown',
          long_message: 'emial_address is not a valid parameter for this request.',
          code: 'form_param_unknown',
          meta: { param_name: 'emial_address' },
        },
      ],
      clerk_trace_id: 'ab12',
    },
    says: ['form_param_unknown', 'emial_address', 'is not a valid parameter'],
  },
  {
    api: 'Amadeus',
    status: 400,
    body: {
      errors: [
        {
          status: 400,
          code: 477,
          title: 'INVALID FORMAT',
          detail: 'invalid query parameter format',
          source: { parameter: 'departureDate', example: '2023-08-02' },
        },
      ],
    },
    says: ['477', 'INVALID FORMAT', 'departureDate', '2023-08-02'],
  },
  {
    api: 'Duffel',
    status: 422,
    body: {
      errors: [
        {
          type: 'validation_error',
          title: 'Required field',
          message: "Field 'passengers' can't be blank",
          documentation_url: 'https://docs.example',
          source: { field: 'passengers', pointer: '/data/passengers' },
          code: 'validation_required',
        },
      ],
      meta: { status: 422, request_id: 'F' },
    },
    says: ['validation_required', '/data/passengers', "can't be blank"],
  },
  {
    api: 'Alpaca',
    status: 422,
    body: { code: 40_010_001, message: 'qty or notional is required' },
    says: ['40010001', 'qty or notional is required'],
  },
  {
    api: 'Binance',
    status: 400,
    body: { code: -1102, msg: "Mandatory parameter 'symbol' was not sent, was empty/null, or malformed." },
    says: ['-1102', "Mandatory parameter 'symbol' was not sent"],
  },
  {
    api: 'Kraken',
    status: 400,
    body: { error: ['EGeneral:Invalid arguments:volume', 'EOrder:Insufficient funds'] },
    says: ['EGeneral:Invalid arguments:volume', 'EOrder:Insufficient funds'],
  },
  {
    api: 'Twitch',
    status: 400,
    body: { error: 'Bad Request', status: 400, message: 'Missing required parameter "broadcaster_id"' },
    says: ['Missing required parameter "broadcaster_id"'],
  },
  {
    api: 'Reddit',
    status: 400,
    body: { json: { errors: [['BAD_SR_NAME', 'that name is not going to work', 'sr']] } },
    says: ['BAD_SR_NAME', 'that name is not going to work', 'sr'],
  },
  {
    api: 'Reddit',
    status: 400,
    body: {
      fields: ['title'],
      explanation: 'this is too long (max: 300)',
      message: 'Bad Request',
      reason: 'TOO_LONG',
    },
    says: ['title', 'this is too long (max: 300)', 'TOO_LONG'],
  },
  {
    api: 'Vimeo',
    status: 400,
    body: {
      error: 'The parameters passed to this API endpoint did not pass Vimeo validation.',
      link: null,
      developer_message: 'Check the invalid parameters.',
      error_code: 2204,
      invalid_parameters: [
        {
          field: 'per_page',
          error_code: 2251,
          error: 'Per page cannot be more than 100.',
          developer_message: 'Above 100.',
        },
      ],
    },
    says: ['2204', 'per_page', '2251', 'Per page cannot be more than 100', 'Above 100'],
  },
  {
    api: 'Pinterest',
    status: 400,
    body: { code: 1, message: "Invalid request: 'board_id' is a required property", status: 'failure' },
    says: ["'board_id' is a required property"],
  },
  {
    api: 'TikTok',
    status: 400,
    body: { data: {}, error: { code: 'invalid_params', message: 'fields is mandatory', log_id: '2022' } },
    says: ['invalid_params', 'fields is mandatory'],
  },
  {
    api: 'Snapchat',
    status: 400,
    body: {
      request_status: 'ERROR',
      request_id: 'x1',
      debug_message: 'One or more sub requests failed',
      display_message: 'We could not do that',
      error_code: 'E1001',
      campaigns: [{ sub_request_status: 'ERROR', sub_request_error_reason: 'daily_budget_micro is too low' }],
    },
    says: ['E1001', 'daily_budget_micro is too low', 'One or more sub requests failed'],
  },
  {
    api: 'Strava',
    status: 400,
    body: {
      message: 'Bad Request',
      errors: [{ resource: 'Activity', field: 'elapsed_time', code: 'invalid' }],
    },
    says: ['Activity', 'elapsed_time', 'invalid'],
  },
  {
    api: 'Fitbit',
    status: 400,
    body: {
      errors: [{ errorType: 'validation', fieldName: 'date', message: 'Invalid date: 2020-13-01' }],
      success: false,
    },
    says: ['validation', 'date', 'Invalid date: 2020-13-01'],
  },
  {
    api: 'Uber',
    status: 422,
    body: {
      meta: {},
      errors: [
        { status: 422, code: 'same_pickup_dropoff', title: 'Pickup and dropoff can not be the same.' },
      ],
      fields: { start_latitude: 'Required. Must be a number.' },
    },
    says: ['same_pickup_dropoff', 'Pickup and dropoff', 'start_latitude', 'Must be a number'],
  },
  {
    api: 'DoorDash',
    status: 422,
    body: {
      code: 'validation_error',
      message: 'One or more request fields had validation errors',
      field_errors: [{ field: 'dropoff_phone_number', error: 'Invalid phone number' }],
    },
    says: ['validation_error', 'dropoff_phone_number', 'Invalid phone number'],
  },
  {
    api: 'Shippo',
    status: 400,
    body: {
      address_from: [{ country: ['This field is required.'] }],
      __all__: ['Parcel and shipment differ.'],
    },
    says: ['address_from', 'country', 'This field is required', 'Parcel and shipment differ'],
  },
  {
    api: 'EasyPost',
    status: 422,
    body: {
      error: {
        code: 'ADDRESS.VERIFY.FAILURE',
        message: 'Unable to verify address.',
        errors: [
          {
            code: 'E.ADDRESS.NOT_FOUND',
            field: 'address',
            message: 'Address not found',
            suggestion: 'Check the zip',
          },
        ],
      },
    },
    says: ['ADDRESS.VERIFY.FAILURE', 'E.ADDRESS.NOT_FOUND', 'address', 'Address not found', 'Check the zip'],
  },
  {
    api: 'Lob',
    status: 422,
    body: { error: { message: 'to.address_zip must be a string', status_code: 422, code: 'invalid' } },
    says: ['to.address_zip must be a string', 'invalid'],
  },
  {
    api: 'USPS',
    status: 400,
    type: 'text/xml',
    body: '<?xml version="1.0"?><Error><Number>-2147219401</Number><Source>clsAMS</Source><Description>Address Not Found.  </Description><HelpFile/><HelpContext/></Error>',
    says: ['-2147219401', 'Address Not Found', 'clsAMS'],
  },
  {
    api: 'DHL',
    status: 400,
    body: {
      instance: '/shipments',
      detail: 'Multiple problems found, see Additional Details',
      title: 'Validation error',
      message: 'Bad request',
      additionalDetails: [
        '#/plannedShippingDateAndTime: string does not match pattern',
        '8009: wrong product code',
      ],
      status: '400',
    },
    says: ['Validation error', '#/plannedShippingDateAndTime', '8009: wrong product code'],
  },
  {
    api: 'Klarna',
    status: 400,
    body: {
      correlation_id: '6a9',
      error_code: 'BAD_VALUE',
      error_messages: ['Bad value: order_lines[0].quantity', 'Bad value: purchase_country'],
    },
    says: ['BAD_VALUE', 'order_lines[0].quantity', 'purchase_country'],
  },
  {
    api: 'Authorize.Net',
    status: 400,
    body: `\uFEFF${JSON.stringify({
      messages: {
        resultCode: 'Error',
        message: [
          { code: 'E00003', text: "The 'cardNumber' element is invalid - The value 'x' is invalid." },
        ],
      },
    })}`,
    says: ['E00003', "The 'cardNumber' element is invalid"],
  },
  {
    api: 'Checkout.com',
    status: 422,
    body: {
      request_id: '0HL',
      error_type: 'request_invalid',
      error_codes: ['amount_invalid', 'currency_required'],
    },
    says: ['request_invalid', 'amount_invalid', 'currency_required'],
  },
  {
    api: 'Razorpay',
    status: 400,
    body: {
      error: {
        code: 'BAD_REQUEST_ERROR',
        description: 'The amount must be at least INR 1.00',
        source: 'business',
        step: 'payment_initiation',
        reason: 'input_validation_failed',
        metadata: {},
        field: 'amount',
      },
    },
    says: ['BAD_REQUEST_ERROR', 'The amount must be at least', 'input_validation_failed', 'amount'],
  },
  {
    api: 'Paystack',
    status: 400,
    body: {
      status: false,
      message: 'Invalid amount',
      meta: { nextStep: 'Provide a number above 0' },
      type: 'validation_error',
      code: 'invalid_params',
    },
    says: ['Invalid amount', 'Provide a number above 0', 'invalid_params'],
  },
  {
    api: 'Flutterwave',
    status: 400,
    body: {
      status: 'error',
      message: 'Missing fields',
      data: null,
      errors: [{ field: 'tx_ref', message: 'required' }],
    },
    says: ['Missing fields', 'tx_ref', 'required'],
  },
  {
    api: 'Mercado Pago',
    status: 400,
    body: {
      message: 'Invalid user identification number',
      error: 'bad_request',
      status: 400,
      cause: [
        { code: 2067, description: 'Invalid user identification number', data: 'payer.identification' },
      ],
    },
    says: ['bad_request', '2067', 'payer.identification'],
  },
  {
    api: 'Zuora',
    status: 400,
    body: {
      success: false,
      processId: '3F7',
      reasons: [{ code: 53_100_020, message: "'termType' value should be one of: TERMED, EVERGREEN" }],
    },
    says: ['53100020', "'termType' value should be one of"],
  },
  {
    api: 'FreshBooks',
    status: 422,
    body: {
      response: {
        errors: [
          { errno: 1012, field: 'customerid', message: 'Client not found.', object: 'invoice', value: '99' },
        ],
      },
    },
    says: ['1012', 'customerid', 'Client not found', 'invoice', '99'],
  },
  {
    api: 'ClickUp',
    status: 400,
    body: { err: 'Team not authorized', ECODE: 'OAUTH_027' },
    says: ['Team not authorized', 'OAUTH_027'],
  },
  {
    api: 'Todoist',
    status: 400,
    body: {
      error: 'Invalid argument value',
      error_code: 20,
      error_extra: { argument: 'due_date', expected: 'YYYY-MM-DD' },
      error_tag: 'INVALID_ARGUMENT_VALUE',
      http_code: 400,
    },
    says: ['Invalid argument value', '20', 'due_date', 'YYYY-MM-DD', 'INVALID_ARGUMENT_VALUE'],
  },
  {
    api: 'Smartsheet',
    status: 400,
    body: {
      errorCode: 1008,
      message: 'Unable to parse request.',
      refId: 'r1',
      detail: { index: 0, rowId: 456 },
    },
    says: ['1008', 'Unable to parse request', '456'],
  },
  {
    api: 'Typeform',
    status: 400,
    body: {
      code: 'VALIDATION_ERROR',
      description: 'Validation error',
      help: 'https://docs.example',
      details: [
        {
          code: 'SHOULD_BE_ONE_OF',
          description: 'value should be one of: date, dropdown',
          field: '/fields/0/type',
          in: 'body',
        },
      ],
    },
    says: ['VALIDATION_ERROR', 'SHOULD_BE_ONE_OF', '/fields/0/type', 'value should be one of'],
  },
  {
    api: 'SurveyMonkey',
    status: 400,
    body: {
      error: {
        id: '1003',
        name: 'Bad Request',
        docs: 'https://docs.example',
        message: "'title' is required",
        http_status_code: 400,
      },
    },
    says: ['1003', "'title' is required"],
  },
  {
    api: 'Calendly',
    status: 400,
    body: {
      title: 'Invalid Argument',
      message: 'The supplied parameters are invalid.',
      details: [{ parameter: 'count', message: 'must be less than or equal to 100' }],
    },
    says: ['Invalid Argument', 'count', 'must be less than or equal to 100'],
  },
  {
    api: 'Eventbrite',
    status: 400,
    body: {
      status_code: 400,
      error_description: 'There are errors with your arguments: event.start.utc - INVALID',
      error: 'ARGUMENTS_ERROR',
      error_detail: { ARGUMENTS_ERROR: { 'event.start.utc': ['INVALID'] } },
    },
    says: ['ARGUMENTS_ERROR', 'event.start.utc', 'INVALID'],
  },
  {
    api: 'Greenhouse',
    status: 422,
    body: { message: 'Validation error', errors: [{ message: 'Must be one of: a, b', field: 'status' }] },
    says: ['Validation error', 'status', 'Must be one of: a, b'],
  },
  {
    api: 'BambooHR',
    status: 400,
    type: 'text/html',
    headers: { 'x-bamboohr-error-message': 'Invalid start date "31-31-2020"' },
    body: '',
    says: ['Invalid start date "31-31-2020"'],
  },
  {
    api: 'Gusto',
    status: 422,
    body: {
      errors: [
        {
          error_key: 'base',
          category: 'nested_errors',
          metadata: { entity_type: 'Employee' },
          errors: [
            {
              error_key: 'first_name',
              category: 'invalid_attribute_value',
              message: 'First name is required',
            },
          ],
        },
      ],
    },
    says: ['Employee', 'first_name', 'invalid_attribute_value', 'First name is required'],
  },
  {
    api: 'Cloudinary',
    status: 400,
    headers: { 'x-cld-error': 'Invalid transformation parameter - wdth' },
    body: { error: { message: 'Invalid transformation parameter - wdth' } },
    says: ['Invalid transformation parameter - wdth'],
  },
  {
    api: 'Cloudinary',
    status: 400,
    type: 'image/gif',
    headers: { 'x-cld-error': 'Invalid value 9999 for parameter angle' },
    body: '',
    says: ['Invalid value 9999 for parameter angle'],
  },
  {
    api: 'Imgur',
    status: 400,
    body: {
      data: {
        error: { code: 1003, message: 'File type invalid (1)', type: 'ImgurException', exception: {} },
        request: '/3/image',
        method: 'POST',
      },
      success: false,
      status: 400,
    },
    says: ['1003', 'File type invalid (1)', 'ImgurException'],
  },
  {
    api: 'Flickr',
    status: 400,
    type: 'text/xml',
    body: '<?xml version="1.0" encoding="utf-8" ?><rsp stat="fail"><err code="100" msg="Invalid API Key (Key has invalid format)" /></rsp>',
    says: ['100', 'Invalid API Key (Key has invalid format)'],
  },
  {
    api: 'Unsplash',
    status: 422,
    body: { errors: ['Query is missing', 'Page must be positive'] },
    says: ['Query is missing', 'Page must be positive'],
  },
  {
    api: 'Giphy',
    status: 400,
    body: { data: [], meta: { status: 400, msg: 'Missing q parameter', response_id: 'x' } },
    says: ['Missing q parameter'],
  },
  {
    api: 'openFDA',
    status: 404,
    body: { error: { code: 'NOT_FOUND', message: 'No matches found!', details: 'search=patient.drugg' } },
    says: ['NOT_FOUND', 'No matches found', 'search=patient.drugg'],
  },
  {
    api: 'US Census',
    status: 400,
    type: 'text/plain',
    body: "error: unknown variable 'POPP'",
    says: ["unknown variable 'POPP'"],
  },
  {
    api: 'Yelp',
    status: 400,
    body: {
      error: {
        code: 'VALIDATION_ERROR',
        description: "'limt' is not one of the allowed",
        field: 'limit',
        instance: 500,
      },
    },
    says: ['VALIDATION_ERROR', 'limit', '500'],
  },
  {
    api: 'Foursquare',
    status: 400,
    body: {
      meta: {
        code: 400,
        errorType: 'param_error',
        errorDetail: 'll must be of the form XX.XX,YY.YY',
        requestId: 'a',
      },
      response: {},
    },
    says: ['param_error', 'll must be of the form XX.XX,YY.YY'],
  },
  {
    api: 'Google Maps',
    status: 400,
    body: {
      error_message: "Invalid request. Missing the 'address' parameter.",
      results: [],
      status: 'INVALID_REQUEST',
    },
    says: ["Missing the 'address' parameter", 'INVALID_REQUEST'],
  },
  {
    api: 'HERE',
    status: 400,
    body: {
      title: 'Malformed request',
      status: 400,
      code: 'E605001',
      cause: "Invalid value for 'transportMode'",
      action: 'Use one of: car, truck',
      correlationId: 'x',
      requestId: 'y',
    },
    says: ['Malformed request', 'E605001', "Invalid value for 'transportMode'", 'Use one of: car, truck'],
  },
  {
    api: 'TomTom',
    status: 400,
    body: {
      formatVersion: '0.0.12',
      error: { description: 'Point must be in format lat,lon' },
      detailedError: { code: 'BAD_INPUT', message: 'Point must be in format lat,lon', target: 'point' },
    },
    says: ['Point must be in format lat,lon', 'BAD_INPUT', 'point'],
  },
  {
    api: 'Vonage SMS',
    status: 400,
    body: { 'message-count': '1', messages: [{ status: '2', 'error-text': 'Missing to param' }] },
    says: ['2', 'Missing to param'],
  },
  {
    api: 'Vonage',
    status: 422,
    body: {
      type: 'https://docs.example/errors#invalid-params',
      title: 'Your request parameters did not validate.',
      detail: 'Check the parameters',
      instance: 'bf0',
      invalid_parameters: [{ name: 'from', reason: 'Invalid sender' }],
    },
    says: ['did not validate', 'from', 'Invalid sender'],
  },
  {
    api: 'MessageBird',
    status: 422,
    body: { errors: [{ code: 9, description: 'no (correct) recipients found', parameter: 'recipients' }] },
    says: ['9', 'no (correct) recipients found', 'recipients'],
  },
  {
    api: 'Plivo',
    status: 400,
    body: { api_id: '97e', error: { dst: ['This field is required'] } },
    says: ['dst', 'This field is required'],
  },
  {
    api: 'Sinch',
    status: 400,
    body: {
      code: 'syntax_constraint_violation',
      text: "The syntax constraint was violated: 'to' must not be empty",
    },
    says: ['syntax_constraint_violation', "'to' must not be empty"],
  },
  {
    api: 'Bandwidth',
    status: 400,
    type: 'application/xml',
    body: '<?xml version="1.0"?><OrderResponse><ErrorList><Error><Code>5022</Code><Description>The telephone number is not available</Description><TelephoneNumber>5205551234</TelephoneNumber></Error></ErrorList></OrderResponse>',
    says: ['5022', 'The telephone number is not available', '5205551234'],
  },
  {
    api: 'RingCentral',
    status: 400,
    body: {
      errorCode: 'CMN-101',
      message: 'Parameter [to.phoneNumber] value is invalid.',
      errors: [
        {
          errorCode: 'CMN-101',
          message: 'Parameter [to.phoneNumber] value is invalid.',
          parameterName: 'to.phoneNumber',
        },
      ],
      parameterName: 'to.phoneNumber',
    },
    says: ['CMN-101', 'to.phoneNumber'],
  },
  {
    api: 'Webex',
    status: 400,
    body: {
      message: 'The request could not be understood.',
      errors: [{ description: "'roomId' or 'toPersonId' is required" }],
      trackingId: 'R',
    },
    says: ['could not be understood', "'roomId' or 'toPersonId' is required"],
  },
  {
    api: 'Mattermost',
    status: 400,
    body: {
      id: 'api.context.invalid_body_param.app_error',
      message: 'Invalid or missing channel_id in request body.',
      detailed_error: '',
      request_id: 'k',
      status_code: 400,
    },
    says: ['invalid_body_param', 'Invalid or missing channel_id'],
  },
  {
    api: 'Rocket.Chat',
    status: 400,
    body: {
      success: false,
      error: 'The required "roomId" param was not provided [error-roomid-param-not-provided]',
      errorType: 'error-roomid-param-not-provided',
    },
    says: ['The required "roomId" param', 'error-roomid-param-not-provided'],
  },
  {
    api: 'Zulip',
    status: 400,
    body: {
      code: 'REQUEST_VARIABLE_MISSING',
      msg: "Missing 'content' argument",
      result: 'error',
      var_name: 'content',
    },
    says: ['REQUEST_VARIABLE_MISSING', "Missing 'content' argument"],
  },
  {
    api: 'Matrix',
    status: 403,
    body: { errcode: 'M_FORBIDDEN', error: 'You are not in room !abc:example.org' },
    says: ['M_FORBIDDEN', 'You are not in room'],
  },
  {
    api: 'Artifactory',
    status: 400,
    body: { errors: [{ status: 400, message: 'Repository key must not contain spaces' }] },
    says: ['Repository key must not contain spaces'],
  },
  {
    api: 'SonarQube',
    status: 400,
    body: { errors: [{ msg: "The 'project' parameter is missing" }] },
    says: ["The 'project' parameter is missing"],
  },
  {
    api: 'Jenkins',
    status: 400,
    type: 'text/html;charset=utf-8',
    body: '<html><head><title>Jenkins</title><style>body{color:red}</style></head><body><div id="main"><h1>Error</h1><p>No such job: buld-all</p></div><script>var x = 1;</script></body></html>',
    says: ['No such job: buld-all'],
  },
  {
    api: 'Buildkite',
    status: 422,
    body: {
      message: 'Validation failed',
      errors: [{ field: 'slug', code: 'already_exists', value: 'my-app' }],
    },
    says: ['slug', 'already_exists', 'my-app'],
  },
  {
    api: 'LaunchDarkly',
    status: 400,
    body: { code: 'invalid_request', message: "invalid patch: path '/variations/9' does not exist" },
    says: ['invalid_request', '/variations/9'],
  },
  {
    api: 'Segment',
    status: 400,
    body: {
      errors: [
        { type: 'bad-request', message: 'Invalid pagination', field: 'pagination.count', data: { max: 200 } },
      ],
    },
    says: ['bad-request', 'pagination.count', '200'],
  },
  {
    api: 'Amplitude',
    status: 400,
    body: {
      code: 400,
      error: 'Request missing required field',
      missing_field: 'api_key',
      events_with_invalid_fields: { time: [3, 4, 7] },
      events_with_missing_fields: { event_type: [3] },
    },
    says: ['Request missing required field', 'api_key', 'time', '3, 4, 7', 'event_type'],
  },
  {
    api: 'Mixpanel',
    status: 400,
    body: {
      code: 400,
      error: 'some data points in the request failed validation',
      failed_records: [
        { index: 0, $insert_id: '13c', field: 'properties.time', message: "'properties.time' is invalid" },
      ],
      num_records_imported: 999,
      status: 'Bad Request',
    },
    says: ['some data points', 'properties.time', 'is invalid', '13c'],
  },
  {
    api: 'Klaviyo',
    status: 400,
    body: {
      errors: [
        {
          id: 'x',
          status: 400,
          code: 'invalid',
          title: 'Invalid input.',
          detail: 'Invalid email address',
          source: { pointer: '/data/attributes/email' },
          links: {},
          meta: {},
        },
      ],
    },
    says: ['invalid', 'Invalid email address', '/data/attributes/email'],
  },
  {
    api: 'Open Banking UK',
    status: 400,
    body: {
      Code: '400 BadRequest',
      Id: '2b5',
      Message: 'Invalid request parameters.',
      Errors: [
        {
          ErrorCode: 'UK.OBIE.Field.Missing',
          Message: 'The field is missing',
          Path: 'Data.Initiation.InstructedAmount',
          Url: 'https://docs.example',
        },
      ],
    },
    says: ['UK.OBIE.Field.Missing', 'The field is missing', 'Data.Initiation.InstructedAmount'],
  },
  {
    api: 'Berlin Group',
    status: 400,
    body: {
      tppMessages: [
        { category: 'ERROR', code: 'FORMAT_ERROR', path: 'debtorAccount/iban', text: 'wrong checksum' },
      ],
    },
    says: ['FORMAT_ERROR', 'debtorAccount/iban', 'wrong checksum'],
  },
  {
    api: 'TM Forum',
    status: 400,
    body: {
      code: '20',
      reason: 'Invalid query-string parameter value',
      message: "fields: 'nme' is unknown",
      '@type': 'Error',
      referenceError: 'https://docs.example',
    },
    says: ['20', 'Invalid query-string parameter value', "'nme' is unknown"],
  },
  {
    api: 'Phoenix (Ecto)',
    status: 422,
    body: {
      errors: { user: { email: ["can't be blank"], address: { zip: ['is invalid', 'is too short'] } } },
    },
    says: ['email', "can't be blank", 'zip', 'is invalid', 'is too short'],
  },
  {
    api: 'CakePHP',
    status: 422,
    body: {
      message: 'A validation error occurred',
      url: '/articles',
      code: 422,
      errors: { title: { _empty: 'This field cannot be left empty', minLength: 'Too short' } },
    },
    says: ['title', '_empty', 'This field cannot be left empty', 'minLength', 'Too short'],
  },
  {
    api: 'Yii',
    status: 422,
    body: [
      { field: 'username', message: 'Username cannot be blank.' },
      { field: 'email', message: 'Email is not a valid email address.' },
    ],
    says: ['username', 'Username cannot be blank', 'email', 'Email is not a valid'],
  },
  {
    api: 'Play Framework',
    status: 400,
    body: {
      obj: [{ msg: ['error.path.missing'], args: [] }],
      'obj.price': [{ msg: ['error.expected.jsnumber'], args: [] }],
    },
    says: ['obj.price', 'error.expected.jsnumber', 'error.path.missing'],
  },
  {
    api: 'Dropwizard',
    status: 422,
    body: { errors: ['name may not be empty', 'age must be greater than 0'] },
    says: ['name may not be empty', 'age must be greater than 0'],
  },
  {
    api: 'Pydantic v1',
    status: 422,
    body: [
      { loc: ['body', 'items', 0, 'price'], msg: 'value is not a valid float', type: 'type_error.float' },
    ],
    says: ['price', 'value is not a valid float', 'type_error.float'],
  },
  {
    api: 'Valibot',
    status: 400,
    body: {
      issues: [
        {
          kind: 'validation',
          type: 'email',
          input: 'x',
          expected: null,
          received: '"x"',
          message: 'Invalid email',
          path: [{ type: 'object', origin: 'value', key: 'email', value: 'x' }],
        },
      ],
    },
    says: ['Invalid email', 'email'],
  },
  {
    api: 'Rails (errors by attribute, details)',
    status: 422,
    body: { errors: { name: [{ error: 'too_short', count: 3 }], base: [{ error: 'quota_exceeded' }] } },
    says: ['name', 'too_short', '3', 'quota_exceeded'],
  },
  {
    api: 'Loopback',
    status: 422,
    body: {
      error: {
        statusCode: 422,
        name: 'UnprocessableEntityError',
        message: 'The request body is invalid. See error object `details` property for more info.',
        code: 'VALIDATION_FAILED',
        details: [
          {
            path: '/title',
            code: 'required',
            message: "must have required property 'title'",
            info: { missingProperty: 'title' },
          },
        ],
      },
    },
    says: ['VALIDATION_FAILED', '/title', 'required', "must have required property 'title'"],
  },
  {
    api: 'Twirp',
    status: 400,
    body: { code: 'invalid_argument', msg: 'inches must be positive', meta: { argument: 'inches' } },
    says: ['invalid_argument', 'inches must be positive'],
  },
  {
    api: 'Connect RPC',
    status: 400,
    body: {
      code: 'invalid_argument',
      message: 'validation error: email: must be set',
      details: [
        {
          type: 'buf.validate.Violations',
          value: 'CgI',
          debug: { violations: [{ fieldPath: 'email', constraintId: 'required', message: 'must be set' }] },
        },
      ],
    },
    says: ['invalid_argument', 'email', 'required', 'must be set'],
  },
  {
    api: 'Envoy',
    status: 503,
    type: 'text/plain',
    body: 'upstream connect error or disconnect/reset before headers. reset reason: connection failure',
    says: ['reset reason: connection failure'],
  },
  {
    api: 'Kong',
    status: 400,
    body: {
      message: 'schema violation (paths: length must be at least 1)',
      name: 'schema violation',
      fields: { paths: ['length must be at least 1'] },
      code: 2,
    },
    says: ['schema violation', 'paths', 'length must be at least 1'],
  },
  {
    api: 'Power BI',
    status: 400,
    body: {
      error: {
        code: 'DM_GWPipeline_Gateway_MashupDataAccessError',
        'pbi.error': {
          code: 'DM_X',
          parameters: {},
          details: [{ code: 'ErrorMessage', detail: { type: 1, value: 'Column name is wrong' } }],
        },
      },
    },
    says: ['MashupDataAccessError', 'Column name is wrong'],
  },
  {
    api: 'NetSuite',
    status: 400,
    type: 'application/vnd.oracle.resource+json; type=error',
    body: {
      type: 'https://docs.example/html#sec10.4.1',
      title: 'Bad Request',
      status: 400,
      'o:errorDetails': [
        {
          detail: "Error while accessing a resource. Unknown field 'companyNmae'.",
          'o:errorPath': 'companyNmae',
          'o:errorCode': 'NONEXISTENT_FIELD',
        },
      ],
    },
    says: ["Unknown field 'companyNmae'", 'NONEXISTENT_FIELD'],
  },
  {
    api: 'Dynamics 365',
    status: 400,
    body: {
      error: {
        code: '0x80048d19',
        message:
          "Error identified in Payload provided by the user for Entity :'', For more information on this error please follow this help link",
        innererror: {
          message: "Property 'nmae' does not exist",
          type: 'Microsoft.Crm.CrmHttpException',
          stacktrace: '   at Microsoft.Crm.X()\r\n   at Y()',
        },
      },
    },
    says: ['0x80048d19', "Property 'nmae' does not exist"],
  },
  {
    api: 'CalDAV',
    status: 403,
    type: 'application/xml',
    body: '<?xml version="1.0" encoding="utf-8" ?><D:error xmlns:D="DAV:" xmlns:C="urn:ietf:params:xml:ns:caldav"><C:valid-calendar-data/><D:responsedescription>DTSTART is missing</D:responsedescription></D:error>',
    says: ['valid-calendar-data', 'DTSTART is missing'],
  },
  {
    api: 'OAI-PMH',
    status: 422,
    type: 'text/xml',
    body: '<?xml version="1.0"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>2020-01-01</responseDate><request>http://r.example</request><error code="badArgument">The argument until is not a date</error></OAI-PMH>',
    says: ['badArgument', 'The argument until is not a date'],
  },
  {
    api: 'XML-RPC',
    status: 400,
    type: 'text/xml',
    body: '<?xml version="1.0"?><methodResponse><fault><value><struct><member><name>faultCode</name><value><int>4</int></value></member><member><name>faultString</name><value><string>Too many parameters.</string></value></member></struct></value></fault></methodResponse>',
    says: ['4', 'Too many parameters'],
  },
];
