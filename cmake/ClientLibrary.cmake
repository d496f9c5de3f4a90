# client_library(NAME DESCRIPTION [NEEDS LIBRARY...] [PKG_CONFIG FLAG...])
#
# libperp-NAME, from the sources in the current folder: a library on top of libperp that sees the
# public headers, src/text and sim/kit. Neither kind of it shows other names than perp_*. NEEDS are
# libraries that it links, PKG_CONFIG the same as flags of a static link.
#
#   perp_NAME_objects    the objects, for definitions and include folders that only one client has
#   perp_NAME_internal   a static library with every symbol, for the tests of single parts
#   perp::perp_NAME, perp::perp_NAME_static   the libraries that are installed
function(client_library name description)
  cmake_parse_arguments(PARSE_ARGV 2 client "" "" "NEEDS;PKG_CONFIG")
  set(target perp_${name})
  set(seen ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src/text ${PROJECT_SOURCE_DIR}/sim/kit)
  set(objects $<TARGET_OBJECTS:${target}_objects> $<TARGET_OBJECTS:perp_kit>)
  set(needs m ${client_NEEDS} Threads::Threads)
  set(flags ${client_PKG_CONFIG} -lm -lpthread)

  file(GLOB sources CONFIGURE_DEPENDS *.c)
  add_library(${target}_objects OBJECT ${sources})
  target_include_directories(${target}_objects PRIVATE ${seen})
  target_link_libraries(${target}_objects PRIVATE perp_flags)
  set_target_properties(${target}_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)

  add_library(${target}_shared SHARED ${objects})
  set_target_properties(${target}_shared PROPERTIES OUTPUT_NAME perp-${name} EXPORT_NAME ${target}
                        VERSION ${PROJECT_VERSION}
                        SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
                        INSTALL_RPATH "$ORIGIN")   # libperp beside it, wherever both are moved
  hidden_shared(${target}_shared)
  target_link_libraries(${target}_shared PUBLIC perp_shared PRIVATE ${needs})
  add_library(perp::${target} ALIAS ${target}_shared)

  add_library(${target}_internal STATIC ${objects})
  target_include_directories(${target}_internal PUBLIC ${seen} ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target}_internal PUBLIC perp_static ${needs})

  hidden_static(${target}_static perp-${name} ${target}_internal)
  target_link_libraries(${target}_static PUBLIC perp_static ${needs})
  add_library(perp::${target}_static ALIAS ${target}_static)

  if(NOT PERP_INSTALL)
    return()
  endif()
  install(TARGETS ${target}_static ${target}_shared EXPORT perp-targets
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH perp_prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig
       ${CMAKE_INSTALL_PREFIX})
  list(JOIN flags " " client_flags)
  set(client_name perp-${name})
  set(client_description ${description})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/client.pc.in perp-${name}.pc @ONLY)
  install(FILES ${CMAKE_CURRENT_BINARY_DIR}/perp-${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
